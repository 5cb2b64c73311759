import json
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import CorruptArtifact
from models.manifest import list_files

TITLES = ["股市今日涨", "球队比赛", ""]


def test_a_loaded_model_answers_as_the_saved_one(saved: Path, tiny_classifier: EncoderClassifier):
    loaded = artifact.load(saved)

    raw = tiny_classifier.predict_proba(TITLES)
    assert loaded.uncalibrated.predict_proba(TITLES) == pytest.approx(raw, abs=1e-6)
    expected = np.sqrt(raw) / np.sqrt(raw).sum(axis=1, keepdims=True)
    assert loaded.predict_proba(TITLES) == pytest.approx(expected, abs=1e-5)
    assert loaded.labels == tiny_classifier.labels


def test_saving_again_replaces_the_folder(saved: Path, tiny_classifier: EncoderClassifier):
    before = artifact.load(saved).manifest.version

    artifact.save(tiny_classifier, saved, temperature=3.0)

    loaded = artifact.load(saved).manifest
    assert loaded.temperature == 3.0
    assert loaded.version != before


def test_a_changed_byte_is_refused(saved: Path):
    path = saved / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(CorruptArtifact) as caught:
        artifact.load(saved)

    assert str(caught.value) == (
        f"{path} is not the file that was saved (size or SHA-256 differ); "
        "copy the model's folder again"
    )


def test_a_missing_file_is_refused(saved: Path):
    (saved / "config.json").unlink()

    with pytest.raises(CorruptArtifact, match=r"config\.json is missing"):
        artifact.load(saved)


def test_a_file_that_is_not_listed_is_refused_before_anything_is_read(saved: Path):
    (saved / "modeling_evil.py").write_text("raise SystemExit('executed')")

    with pytest.raises(CorruptArtifact, match=r"modeling_evil\.py is not listed"):
        artifact.load(saved)


def test_a_card_may_stand_beside_a_model_and_outlives_it(
    saved: Path, tiny_classifier: EncoderClassifier
):
    (saved / "README.md").write_text("# What this model is\n")
    artifact.load(saved)

    artifact.save(tiny_classifier, saved)

    assert (saved / "README.md").read_text() == "# What this model is\n"
    artifact.load(saved)


def test_code_named_by_a_listed_config_is_never_executed(
    tmp_path: Path, tiny_classifier: EncoderClassifier
):
    folder, executed = tmp_path / "evil", tmp_path / "executed"
    artifact.save(tiny_classifier, folder)
    (folder / "evil.py").write_text(f"open({str(executed)!r}, 'w')\nclass Evil: pass\n")
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {
        "AutoConfig": "evil.Evil",
        "AutoModelForSequenceClassification": "evil.Evil",
    }
    (folder / "config.json").write_text(json.dumps(config))
    _list_files_again(folder)

    artifact.load(folder)

    assert not executed.exists()


def _list_files_again(folder: Path) -> None:
    path = folder / "artifact.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["files"] = list_files(folder)
    del content["files"]["artifact.json"]
    path.write_text(json.dumps(content), encoding="utf-8")
