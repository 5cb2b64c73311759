import json
from dataclasses import replace
from pathlib import Path

import pytest

from models import artifact
from models.artifact import PROBE_TITLES
from models.errors import ArtifactError, CorruptArtifact
from models.manifest import Ingredient, Manifest, Provenance
from models.remark import Remark

MADE_FROM = (
    Ingredient("train", "data", "train.txt", "ab" * 32),
    Ingredient("teacher", "model", "large", "0123456789ab"),
)


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
        "made_from": [],
        "remarks": [],
    }
    assert content["code_revision"]
    assert len(content["probes"]) == len(PROBE_TITLES) == 12
    present = {path.name for path in saved.iterdir()} - {"artifact.json"}
    assert set(content["files"]) == present
    weights = content["files"]["model.safetensors"]
    assert weights["bytes"] == (saved / "model.safetensors").stat().st_size
    assert len(weights["sha256"]) == 64


def test_what_a_model_was_made_from_is_read_back(saved: Path):
    told = Provenance(made_from=MADE_FROM, remarks=(Remark("leak", "dev stands in train"),))
    replace(Manifest.read(saved), provenance=told).write(saved)

    assert artifact.load(saved).manifest.provenance == told
    written = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))["provenance"]
    assert written["made_from"][1] == {
        "role": "teacher",
        "kind": "model",
        "name": "large",
        "version": "0123456789ab",
    }
    assert written["remarks"] == [{"code": "leak", "message": "dev stands in train"}]


def test_a_manifest_that_does_not_tell_what_the_model_was_made_from_is_read(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    del content["provenance"]["made_from"], content["provenance"]["remarks"]
    (saved / "artifact.json").write_text(json.dumps(content), encoding="utf-8")

    provenance = artifact.load(saved).manifest.provenance
    assert (provenance.trained_on, provenance.made_from) == ({"name": "made"}, ())


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
