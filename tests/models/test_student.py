import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from models import artifact
from models.errors import CorruptArtifact
from models.student import StudentClassifier, StudentConfig
from models.tokenization import TitleTokenizer

TITLES = ["股市今日涨幅", "a", "球队比赛冠军高考录取分数", "", "🙂", "股" * 40]


def test_a_saved_student_loads_and_scores_alike(tmp_path: Path, tiny_student: StudentClassifier):
    artifact.save(tiny_student, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model").uncalibrated

    assert isinstance(loaded, StudentClassifier)
    assert loaded.config == tiny_student.config
    assert loaded.max_length == 16
    assert (loaded.predict_logits(TITLES) == tiny_student.predict_logits(TITLES)).all()


def test_factorised_and_uneven_layers_load(
    tmp_path: Path, make_student: Callable[..., StudentClassifier]
):
    uneven = make_student(sizes=((4, 64), (1, 10), (2, 33)))
    ranks = {"encoder.layers.2.attention.in_projection": 5, "pooler": 3}
    config = replace(uneven.config, ranks=ranks)
    network = config.build(3)
    student = StudentClassifier(network, config, uneven.tokenizer, uneven.labels)
    artifact.save(student, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model").uncalibrated

    assert (loaded.predict_logits(TITLES) == student.predict_logits(TITLES)).all()
    assert network.encoder.layers[2].attention.in_projection[0].out_features == 5
    assert network.encoder.layers[1].attention.out_projection.in_features == 8


def test_a_title_scores_the_same_alone_and_in_a_batch(tiny_student: StudentClassifier):
    together = tiny_student.predict_logits(TITLES)

    alone = np.concatenate([tiny_student.predict_logits([title]) for title in TITLES])

    assert together == pytest.approx(alone, abs=1e-5)
    assert len(np.unique(together.round(3), axis=0)) == len(TITLES)


def test_a_copy_with_nothing_changed_scores_alike_and_shares_no_weight(
    tiny_student: StudentClassifier,
):
    tiny_student.batch_size = 7
    copy = tiny_student.with_()

    assert (copy.predict_logits(TITLES) == tiny_student.predict_logits(TITLES)).all()
    assert (copy.config, copy.labels, copy.batch_size) == (
        tiny_student.config,
        tiny_student.labels,
        7,
    )
    copy.network.classifier.bias.data += 1.0
    difference = copy.predict_logits(TITLES) - tiny_student.predict_logits(TITLES)
    assert difference == pytest.approx(np.ones_like(difference), abs=1e-5)


def test_a_copy_has_the_tensors_and_the_tokenizer_that_it_is_given(
    tiny_student: StudentClassifier,
):
    bias = torch.tensor([0.0, 100.0, 0.0])
    short = TitleTokenizer(tiny_student.tokenizer.tokenizer, 0, 8)

    copy = tiny_student.with_(tokenizer=short, tensors={"classifier.bias": bias})

    assert copy.predict_proba(TITLES).argmax(axis=1).tolist() == [1] * len(TITLES)
    assert copy.max_length == 8
    assert copy.score(["股" * 6, "股" * 7]).truncated.tolist() == [False, True]


def test_what_a_smaller_config_has_no_place_for_is_left_out(tiny_student: StudentClassifier):
    config = replace(tiny_student.config, layers=tiny_student.config.layers[:2], reads_width=False)

    copy = tiny_student.with_(config)

    assert len(copy.network.encoder.layers) == 2
    assert copy.network.width is None


def test_what_a_larger_config_asks_for_must_be_given(
    make_student: Callable[..., StudentClassifier],
):
    student = make_student()
    config = replace(student.config, reads_width=True, width_limits=(4, 8))

    with pytest.raises(RuntimeError, match=r"Missing key.*width\.table\.weight"):
        student.with_(config)
    copy = student.with_(config, tensors={"width.table.weight": torch.zeros(14, 32)})
    assert (copy.predict_logits(TITLES) == student.predict_logits(TITLES)).all()


def test_limits_and_segments_are_read_back(
    tmp_path: Path, make_student: Callable[..., StudentClassifier]
):
    student = make_student(reads_width=True)
    config = replace(student.config, width_limits=(4, 8), segments=2)
    tensors = {
        "width.table.weight": torch.randn(14, 32),
        "encoder.embedding.segments.weight": torch.randn(2, 32),
    }
    artifact.save(student.with_(config, tensors=tensors), tmp_path / "model")

    loaded = artifact.load(tmp_path / "model").uncalibrated

    assert loaded.config == config
    same, other = loaded.predict_logits(["涨" * 4]), loaded.predict_logits(["涨" * 3])
    assert np.abs(same - other).max() > 0.01


def test_no_titles_give_no_rows(tiny_student: StudentClassifier):
    assert tiny_student.predict_proba([]).shape == (0, 3)


def test_only_titles_beyond_max_length_are_told_as_truncated(tiny_student: StudentClassifier):
    assert tiny_student.score(["股" * 14, "股" * 15]).truncated.tolist() == [False, True]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: text.replace('"vocab_size"', '"vocabulary"'),
        lambda text: text.replace('"num_heads": 4', '"num_heads": 0'),
        lambda text: text.replace('"d_ff": 64', '"d_ff": 65'),
        lambda text: text.replace('"relu"', '"sine"').replace('"gelu"', '"sine"'),
        lambda text: text.replace('"layers"', '"strata"'),
        lambda text: json.dumps(json.loads(text) | {"layers": []}),
        lambda text: json.dumps(json.loads(text) | {"ranks": {"nowhere": 3}}),
        lambda text: "[]",
    ],
)
def test_a_config_that_does_not_fit_is_refused(
    tmp_path: Path, tiny_student: StudentClassifier, damage: Callable[[str], str]
):
    tiny_student.save_files(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(damage(path.read_text()))

    with pytest.raises(CorruptArtifact, match="the student cannot be built"):
        StudentClassifier.load_files(tmp_path, tiny_student.labels, 16)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path, tiny_student: StudentClassifier):
    tiny_student.save_files(tmp_path)
    tensors = dict(tiny_student.network.state_dict())
    del tensors["pooler.bias"]
    save_file(tensors, tmp_path / "model.safetensors")

    with pytest.raises(CorruptArtifact, match=r"pooler\.bias"):
        StudentClassifier.load_files(tmp_path, tiny_student.labels, 16)


def test_the_config_survives_json(tiny_student: StudentClassifier, tmp_path: Path):
    tiny_student.save_files(tmp_path)

    content = json.loads((tmp_path / "config.json").read_text())

    assert StudentConfig.from_json(content) == tiny_student.config
