"""A file is scored by the names of its classes, and one without titles is no success."""

from pathlib import Path

import pytest

from evaluation.evaluate_file import Evaluate, evaluate_file
from models.artifact import DEFAULT_FOLDER
from models.errors import DataError
from recipes.settings import Reading
from tests.conftest import SAMPLES

ROWS = [line.split("\t") for line in (SAMPLES / "test.txt").read_text("utf-8").splitlines()[:30]]
NAMES = (SAMPLES / "class.txt").read_text("utf-8").split()


@pytest.fixture
def backwards(tmp_path: Path) -> Path:
    """Thirty of the samples, their ids counted from the other end of a list of their own."""
    (tmp_path / "class.txt").write_text("\n".join(reversed(NAMES)), encoding="utf-8")
    rows = "".join(f"{title}\t{9 - int(label)}\n" for title, label in ROWS)
    (tmp_path / "test.txt").write_text(rows, encoding="utf-8")
    return tmp_path / "test.txt"


def accuracy(file: Path, labels: Path | None = None) -> float:
    settings = Evaluate(model=DEFAULT_FOLDER, files=(str(file),), reading=Reading(labels=labels))
    return float(evaluate_file(settings)["accuracy"])


def test_ids_are_places_in_the_files_own_list_and_names_decide(tmp_path: Path, backwards: Path):
    named = tmp_path / "named" / "test.txt"
    named.parent.mkdir()
    rows = "".join(f"{title}\t{NAMES[int(label)]}\n" for title, label in ROWS)
    named.write_text(rows, encoding="utf-8")

    assert accuracy(backwards) == accuracy(named) > 0.5


def test_a_list_that_is_given_is_honoured(tmp_path: Path, backwards: Path):
    right = accuracy(backwards)

    assert accuracy(backwards, SAMPLES / "class.txt") < 0.3
    (tmp_path / "class.txt").rename(tmp_path / "names.txt")
    assert accuracy(backwards, tmp_path / "names.txt") == right


def test_a_class_that_the_model_does_not_know_is_refused(tmp_path: Path, backwards: Path):
    names = (tmp_path / "class.txt").read_text("utf-8").replace("sports", "chess")
    (tmp_path / "class.txt").write_text(names, encoding="utf-8")

    with pytest.raises(DataError, match=r"is 'chess', not one of the 10 labels; .*--unlabelled"):
        accuracy(backwards)


@pytest.mark.parametrize("unlabelled", [False, True])
def test_a_file_without_titles_is_refused(tmp_path: Path, unlabelled: bool):
    (tmp_path / "empty.txt").touch()

    with pytest.raises(DataError, match=r"empty\.txt: no rows; check that the path names"):
        evaluate_file(
            Evaluate(
                model=DEFAULT_FOLDER, files=(str(tmp_path / "empty.txt"),), unlabelled=unlabelled
            )
        )


def test_predictions_open_in_excel_and_are_read_back_as_titles(tmp_path: Path, backwards: Path):
    scored = tmp_path / "scored.csv"

    evaluate_file(Evaluate(model=DEFAULT_FOLDER, files=(str(backwards),), predictions=scored))
    again = Evaluate(
        model=DEFAULT_FOLDER, files=(str(scored),), reading=Reading(label_column="gold")
    )

    assert scored.read_bytes().startswith(b"\xef\xbb\xbftitle,gold,")
    assert evaluate_file(again)["accuracy"] == accuracy(backwards)
