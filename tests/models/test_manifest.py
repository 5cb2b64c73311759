import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from models import artifact
from models.artifact import PROBE_TITLES
from models.errors import ArtifactError, CorruptArtifact
from models.manifest import Answers, Ingredient, Manifest, Provenance, version_of
from models.remark import Remark

MADE_FROM = (
    Ingredient("train", "data", "train.txt", "ab" * 32),
    Ingredient("teacher", "model", "large", "0123456789ab"),
)


def test_the_manifest_tells_all_that_the_design_asks_for(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))

    assert content["format_version"] == 3
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
        "answers": None,
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


def as_format_1(folder: Path, **entries: Any) -> None:
    """Rewrite the manifest as former revisions did, without a digest, with these entries."""
    content = json.loads((folder / "artifact.json").read_text(encoding="utf-8"))
    del content["digest"]
    content |= {"format_version": 1, **entries}
    (folder / "artifact.json").write_text(json.dumps(content), encoding="utf-8")


def test_a_manifest_of_format_1_has_no_digest_and_is_read(saved: Path):
    provenance = {"trained_on": {"name": "made"}, "hyperparameters": {}, "metrics": {}}

    as_format_1(saved, provenance=provenance)

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
    (saved / "artifact.json").write_text(json.dumps(content | {"format_version": 4}))

    with pytest.raises(ArtifactError, match="has format 4, this program reads up to 3; update"):
        artifact.load(saved)


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": ["sports", "stocks", "education"]},
        {"display_names": ["体育", "股票", "教育"]},
        {"temperature": 2.0000001},
        {"threshold": 0.5},
        {"name": "another"},
        {"max_length": 17},
        {"route": "student"},
        {"code_revision": "another"},
        {"provenance": {"trained_on": {"name": "better"}}},
        {"digest": None},
        {"files": {}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_manifest_that_was_changed_after_it_was_saved_is_refused(
    saved: Path, changed: dict[str, Any]
):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    (saved / "artifact.json").write_text(json.dumps(content | changed), encoding="utf-8")

    with pytest.raises(CorruptArtifact) as caught:
        artifact.load(saved)

    assert str(caught.value) == (
        f"{saved / 'artifact.json'} was changed after it was saved; copy the model's folder again"
    )


@pytest.mark.parametrize(
    "changed", [{"labels": ["sports", "stocks", "education"]}, {"temperature": 1.0}]
)
def test_without_a_digest_the_version_covers_what_decides_the_answer(
    saved: Path, changed: dict[str, Any]
):
    as_format_1(saved, **changed)

    with pytest.raises(CorruptArtifact, match=r"artifact\.json was changed after it was saved"):
        artifact.load(saved)


def test_the_version_is_another_for_other_labels_order_files_or_temperature():
    files = {"a": {"bytes": 1, "sha256": "00"}, "b": {"bytes": 1, "sha256": "01"}}
    one = version_of(files, ("x", "y"), 1.5)

    assert version_of(dict(reversed(files.items())), ["x", "y"], 1.5) == one
    others = [
        version_of(files, ("y", "x"), 1.5),
        version_of(files, ("x", "y"), 1.6),
        version_of({**files, "b": files["a"]}, ("x", "y"), 1.5),
        version_of({"a": files["a"]}, ("x", "y"), 1.5),
    ]
    assert len({one, *others}) == 5


def test_indentation_line_ends_and_the_order_of_entries_change_nothing(saved: Path):
    content = json.loads((saved / "artifact.json").read_text(encoding="utf-8"))
    text = json.dumps(dict(reversed(content.items())), indent=4).replace("\n", "\r\n")
    (saved / "artifact.json").write_text(text, encoding="utf-8", newline="")

    assert artifact.load(saved).manifest.temperature == 2.0


def test_a_name_that_is_not_utf_8_is_kept(saved: Path):
    named = Provenance({"name": "\udcb9\udcfa.txt"})

    replace(Manifest.read(saved), provenance=named).write(saved)

    assert artifact.load(saved).manifest.provenance == named


PROBE = {"title": "股市", "scores": [0.2, 0.3, 0.5]}


@pytest.mark.parametrize(
    ("entry", "value", "expected"),
    [
        ("temperature", 0, "a number from 0.01 to 100"),
        ("temperature", -1.0, "a number from 0.01 to 100"),
        ("temperature", math.nan, "a number from 0.01 to 100"),
        ("temperature", math.inf, "a number from 0.01 to 100"),
        ("temperature", 1e-300, "a number from 0.01 to 100"),
        ("temperature", "1", "a number from 0.01 to 100"),
        ("temperature", True, "a number from 0.01 to 100"),
        ("temperature", None, "a number from 0.01 to 100"),
        ("labels", [], "a list of texts, one a class"),
        ("labels", "abc", "a list of texts, one a class"),
        ("labels", ["a", 1, "c"], "a list of texts, one a class"),
        ("display_names", None, "a list of texts, one a class"),
        ("max_length", 0, "a number of tokens from 1, or null"),
        ("max_length", 16.0, "a number of tokens from 1, or null"),
        ("max_length", "16", "a number of tokens from 1, or null"),
        ("name", "", "text"),
        ("version", "../../scores", "12 hexadecimal digits"),
        ("route", ["encoder"], "text"),
        ("provenance", None, "an object"),
        ("files", [], "an object with bytes and sha256 of each file"),
        ("files", {"a": {"bytes": "1", "sha256": ""}}, "an object with bytes and sha256"),
        ("probes", [], "a list, not empty, of titles with their scores from 0 to 1"),
        ("probes", {}, "a list, not empty, of titles with their scores from 0 to 1"),
        ("probes", [{**PROBE, "scores": [math.nan] * 3}], "a list, not empty, of titles with"),
        ("probes", [{**PROBE, "scores": [0, 1, 7]}], "a list, not empty, of titles with"),
        ("probes", [{**PROBE, "title": 1}], "a list, not empty, of titles with"),
        ("probes", [{"title": "股市"}], "a list, not empty, of titles with"),
        ("format_version", True, "a number from 1"),
        ("format_version", 0, "a number from 1"),
    ],
)
def test_a_value_of_another_type_or_out_of_bounds_is_refused_and_named(
    saved: Path, entry: str, value: Any, expected: str
):
    as_format_1(saved, **{entry: value})

    with pytest.raises(CorruptArtifact) as caught:
        Manifest.read(saved)

    assert f"{entry} must be {expected}" in str(caught.value)
    assert f", not {value!r}"[:60] in str(caught.value)


def test_probes_have_a_score_for_each_class(saved: Path):
    as_format_1(saved, probes=[PROBE, {**PROBE, "scores": [0.5, 0.5]}])

    with pytest.raises(CorruptArtifact, match="probes must have 3 scores each, one a class"):
        Manifest.read(saved)


def test_the_threshold_is_kept_and_is_part_of_what_a_model_answers(saved: Path, tmp_path: Path):
    model = artifact.load(saved).uncalibrated

    told = [artifact.save(model, tmp_path / f"m{t}", threshold=t) for t in (0.0, 0.5, 0.6)]

    assert artifact.load(tmp_path / "m0.5").manifest.threshold == 0.5
    assert len({each.version for each in told}) == 3
    assert told[0].version == version_of(told[0].files, told[0].labels, 1.0)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "0.5", None, True, float("nan")])
def test_a_threshold_that_is_none_is_refused(saved: Path, threshold: Any):
    as_format_1(saved, threshold=threshold)

    with pytest.raises(CorruptArtifact, match="threshold must be a number from 0 to 1, not"):
        artifact.load(saved)


@pytest.mark.parametrize("temperature", [0.01, 100.0])
def test_the_bounds_of_the_temperature_are_within_them(saved: Path, temperature: float):
    model = artifact.load(saved).uncalibrated

    artifact.save(model, saved, temperature=temperature)

    assert artifact.load(saved).manifest.temperature == temperature


def test_how_a_model_answered_dev_is_read_back_and_may_be_missing():
    answers = Answers({"stocks": 0.75, "unknown": 0.25}, (0.1,) * 10)
    told = json.loads(json.dumps(asdict(Provenance(answers=answers))))
    assert Provenance.from_json(told).answers == answers
    del told["answers"]
    assert Provenance.from_json(told).answers is None
