"""Verify: what a model was made from is found, or said to be changed, damaged or gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.errors import ArtifactError, CorruptArtifact
from models.student import StudentClassifier
from recipes.convert import Export, export
from recipes.distill import Distill, Start, distill
from recipes.verify import Link, Verify, verify
from training.compression.distillation import DistillSettings


@pytest.fixture
def student(tmp_path: Path, titles: Path, tiny_student: StudentClassifier) -> Path:
    """A student taught by `teacher`, which was made from nothing, on `titles.txt`."""
    artifact.save(tiny_student, tmp_path / "teacher")
    distill(
        Distill(
            teacher=tmp_path / "teacher",
            train=str(titles),
            dev=str(titles),
            output=tmp_path / "student",
            shape=Start(layers=1),
            training=DistillSettings(epochs=1, alpha=0),
        )
    )
    return tmp_path / "student"


def states(links: list[Link]) -> dict[str, str]:
    return {f"{link.depth} {link.ingredient.role}": link.state for link in links}


def test_what_a_model_was_made_from_is_found_by_version_and_hash(student: Path, tmp_path: Path):
    export(Export(folder=student, output=tmp_path / "graph"))

    manifest, links = verify(Verify(folder=tmp_path / "graph"))

    assert manifest.name == "graph"
    assert states(links) == {
        "1 source": "holds",
        "2 train": "holds",
        "2 dev": "holds",
        "2 teacher": "holds",
        "2 start": "holds",
    }
    assert links[0].place == student


def test_titles_that_were_edited_and_a_teacher_trained_again_are_said(
    student: Path, tmp_path: Path, titles: Path, tiny_student: StudentClassifier
):
    titles.write_text(titles.read_text("utf-8").replace("今日", "明日"), "utf-8")
    artifact.save(tiny_student, tmp_path / "teacher", temperature=3.0)

    _, links = verify(Verify(folder=student))

    assert set(states(links).values()) == {"changed"}
    with pytest.raises(ArtifactError, match=r"titles.txt \(changed\)"):
        verify(Verify(folder=student, strict=True))


def test_a_teacher_whose_file_was_touched_is_damaged(student: Path, tmp_path: Path):
    weights = tmp_path / "teacher" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")

    _, links = verify(Verify(folder=student))

    assert states(links)["1 teacher"] == "damaged"


def test_what_is_elsewhere_is_found_among_the_folders_named(student: Path, tmp_path: Path):
    (tmp_path / "away").mkdir()
    moved = student.rename(tmp_path / "away" / "student")

    _, lost = verify(Verify(folder=moved))
    _, found = verify(Verify(folder=moved, among=(tmp_path,)))

    assert set(states(lost).values()) == {"not found"}
    assert set(states(found).values()) == {"holds"}


def test_a_model_that_does_not_hold_itself_is_refused(student: Path):
    (student / "config.json").write_text("{}")

    with pytest.raises(CorruptArtifact, match=r"config\.json is not the file that was saved"):
        verify(Verify(folder=student))


def test_it_is_told_as_a_tree_and_as_json(student: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["verify", str(student)]) == 0
    tree = capsys.readouterr().out
    assert main(["verify", str(student), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert "\n  teacher: teacher " in tree
    assert [each["state"] for each in told["made_from"]] == ["holds"] * 4
