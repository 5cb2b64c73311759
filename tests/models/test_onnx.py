"""The exported model, where torch, transformers and onnx are not installed."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.errors import CorruptArtifact, UsageError
from models.onnx import OnnxClassifier
from models.student import StudentClassifier
from training.compression.export import to_onnx

TITLES = ["股市今日涨幅", "a", "球队比赛冠军高考录取分数", "", "🙂", "股" * 40]

PROGRAM = """
import sys

ALLOWED = {"numpy", "opencc", "tokenizers", "onnxruntime", "models"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        first = name.split(".")[0]
        if first not in ALLOWED and first not in sys.stdlib_module_names:
            raise ImportError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refuse())

from models.artifact import load
from models.classifier import predict

(answer,) = predict(load(sys.argv[1]), ["股市今日涨"])
print(answer.best.display_name, answer.best.score)
"""


@pytest.fixture
def model(tmp_path: Path, tiny_student: StudentClassifier) -> OnnxClassifier:
    return to_onnx(tiny_student, tmp_path / "model.onnx")


def test_classifies_with_tokenizers_onnx_runtime_and_numpy_alone(
    tmp_path: Path, model: OnnxClassifier
):
    artifact.save(model, tmp_path / "model")

    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "model")],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert run.returncode == 0, run.stderr
    best = model.labels.display_names[model.predict_proba(["股市今日涨"]).argmax()]
    assert run.stdout.startswith(f"{best} ")


def test_batches_on_several_threads_score_as_one_by_one(tmp_path: Path, model: OnnxClassifier):
    several = OnnxClassifier(model.graph, model.tokenizer, model.labels, batch_size=4)
    several.set_threads(3)

    together = several.predict_logits(TITLES * 5)

    alone = np.concatenate([model.predict_logits([title]) for title in TITLES])
    assert together == pytest.approx(np.tile(alone, (5, 1)), abs=1e-5)


def test_no_titles_give_no_rows(model: OnnxClassifier):
    assert model.predict_proba([]).shape == (0, 3)
    assert model.score([]).truncated.tolist() == []


def test_only_titles_beyond_max_length_are_told_as_truncated(model: OnnxClassifier):
    assert model.score(["股" * 14, "股" * 15]).truncated.tolist() == [False, True]


def _threads() -> int:
    return sum(thread.name.startswith("onnx") for thread in threading.enumerate())


def test_it_starts_as_many_threads_as_it_is_told_and_none_for_one_title(model: OnnxClassifier):
    before = _threads()
    model.batch_size = 1
    model.set_threads(2)

    model.score(TITLES[:1])
    assert _threads() == before
    model.score(TITLES * 5)
    assert _threads() == before + 2


def test_a_closed_model_has_no_threads_and_scores_nothing(model: OnnxClassifier):
    before = _threads()
    model.batch_size = 1
    model.score(TITLES)

    model.close()
    model.close()

    assert _threads() == before
    with pytest.raises(UsageError, match="the model was closed; load it again"):
        model.score(TITLES[:1])


@pytest.mark.parametrize(
    ("name", "content", "max_length", "message"),
    [
        ("model.onnx", "no graph", 16, r"model\.onnx: ONNX Runtime cannot open it"),
        ("config.json", "{}", 16, r"config\.json cannot be read"),
        ("config.json", "[1]", 16, r"config\.json cannot be read"),
        ("config.json", '{"pad_id": 0, "probe_tolerance": []}', 16, r"config\.json cannot be read"),
        ("config.json", '{"pad_id": 0}', None, r"artifact\.json gives no max_length"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused(
    tmp_path: Path,
    model: OnnxClassifier,
    name: str,
    content: str,
    max_length: int | None,
    message: str,
):
    folder = tmp_path / "saved"
    folder.mkdir()
    model.save_files(folder)
    (folder / name).write_text(content)

    with pytest.raises(CorruptArtifact, match=message):
        OnnxClassifier.load_files(folder, model.labels, max_length)
