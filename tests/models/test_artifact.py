import json
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import PROBE_TITLES, Ingredient, Provenance
from models.encoder import EncoderClassifier
from models.errors import ArtifactError, CorruptArtifact, ProbeMismatch
from models.manifest import list_files

TITLES = ["股市今日涨", "球队比赛", ""]
MADE_FROM = (
    Ingredient("train", "data", "train.txt", "ab" * 32),
    Ingredient("teacher", "model", "large", "0123456789ab"),
)


@pytest.fixture
def saved(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    folder = tmp_path / "model"
    provenance = Provenance({"name": "made"}, {"epochs": 1}, {"accuracy": 0.5}, MADE_FROM)
    artifact.save(tiny_classifier, folder, temperature=2.0, provenance=provenance)
    return folder


def test_a_loaded_model_answers_as_the_saved_one(saved: Path, tiny_classifier: EncoderClassifier):
    loaded = artifact.load(saved)

    raw = tiny_classifier.predict_proba(TITLES)
    assert loaded.uncalibrated.predict_proba(TITLES) == pytest.approx(raw, abs=1e-6)
    expected = np.sqrt(raw) / np.sqrt(raw).sum(axis=1, keepdims=True)
    assert loaded.predict_proba(TITLES) == pytest.approx(expected, abs=1e-5)
    assert loaded.labels == tiny_classifier.labels


def test_the_manifest_tells_all_that_the_design_asks_for(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))

    assert content["format_version"] == 1
    assert content["route"] == "encoder"
    assert content["labels"] == ["stocks", "sports", "education"]
    assert content["display_names"] == ["股票", "体育", "教育"]
    assert content["max_length"] == 16
    assert content["temperature"] == 2.0
    assert content["provenance"] == {
        "trained_on": {"name": "made"},
        "hyperparameters": {"epochs": 1},
        "metrics": {"accuracy": 0.5},
        "made_from": [
            {"role": "train", "kind": "data", "name": "train.txt", "version": "ab" * 32},
            {"role": "teacher", "kind": "model", "name": "large", "version": "0123456789ab"},
        ],
    }
    assert content["code_revision"]
    assert len(content["probes"]) == len(PROBE_TITLES) == 12
    present = {path.name for path in saved.iterdir()} - {"artifact.json"}
    assert set(content["files"]) == present
    weights = content["files"]["model.safetensors"]
    assert weights["bytes"] == (saved / "model.safetensors").stat().st_size
    assert len(weights["sha256"]) == 64


def test_what_a_model_was_made_from_is_read_back(saved: Path):
    assert artifact.Manifest.read(saved).provenance.made_from == MADE_FROM


def test_a_manifest_that_does_not_tell_what_the_model_was_made_from_is_read(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    del content["provenance"]["made_from"]
    (saved / "artifact.json").write_text(json.dumps(content), encoding="utf-8")

    provenance = artifact.load(saved).manifest.provenance
    assert (provenance.trained_on, provenance.made_from) == ({"name": "made"}, ())


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


def test_a_model_that_answers_otherwise_here_is_refused(saved: Path):
    path = saved / "artifact.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["probes"][4]["scores"][0] += 0.25
    path.write_text(json.dumps(content), encoding="utf-8")

    with pytest.raises(ProbeMismatch) as caught:
        artifact.load(saved)

    assert f"a score of “{PROBE_TITLES[4]}” differs by 0.2500" in str(caught.value)


def test_a_model_that_scores_nan_is_not_saved(tmp_path: Path, tiny_classifier: EncoderClassifier):
    tiny_classifier.model.classifier.weight.data.fill_(float("nan"))

    with pytest.raises(ArtifactError, match="NaN or infinity; not saved"):
        artifact.save(tiny_classifier, tmp_path / "model")

    assert not (tmp_path / "model").exists()


def test_a_folder_without_manifest_is_named(tmp_path: Path):
    with pytest.raises(ArtifactError, match=r"is not a model: it has no artifact\.json"):
        artifact.load(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"format_version": 1}',
        '{"format_version": "x"}',
        '{"format_version": 1, "provenance": []}',
        '{"format_version": 1, "provenance": {"made_from": [{"role": "train"}]}}',
    ],
)
def test_a_manifest_that_cannot_be_read_is_refused(saved: Path, content: str):
    (saved / "artifact.json").write_text(content)

    with pytest.raises(CorruptArtifact, match=r"artifact\.json cannot be read"):
        artifact.load(saved)


def test_a_newer_format_asks_for_an_update(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    (saved / "artifact.json").write_text(json.dumps(content | {"format_version": 2}))

    with pytest.raises(ArtifactError, match="has format 2, this program reads up to 1; update"):
        artifact.load(saved)


def test_an_unknown_route_lists_the_known_ones(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    (saved / "artifact.json").write_text(json.dumps(content | {"route": "oracle"}))

    with pytest.raises(ArtifactError, match="unknown route 'oracle'; this installation has: enc"):
        artifact.load(saved)


def _list_files_again(folder: Path) -> None:
    path = folder / "artifact.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["files"] = list_files(folder)
    del content["files"]["artifact.json"]
    path.write_text(json.dumps(content), encoding="utf-8")
