"""The predictions file reads back as it was written."""

from pathlib import Path

import numpy as np
import pytest

from models.errors import DataError, UsageError
from models.labels import Labels
from scoring.predictions import open_predictions, read_predictions
from titles import NO_LABEL

LABELS = Labels.of(["stocks", "sports"])
TITLES, GOLD = ['他说：“涨”, "really"', "换行\n标题"], np.array([0, NO_LABEL])
SCORES = np.array([[0.75, 0.25], [0.0, 1.0]], np.float32)


@pytest.mark.parametrize("name", ["scored.csv", "scored.jsonl"])
def test_scores_are_read_by_title_in_the_labels_order(tmp_path: Path, name: str):
    with open_predictions(tmp_path / name, LABELS) as write:
        write(TITLES, GOLD, SCORES)

    found = read_predictions(tmp_path / name, Labels.of(["sports", "stocks"]))

    assert list(found) == TITLES
    assert found[TITLES[0]].tolist() == [0.25, 0.75]
    assert found[TITLES[1]] == pytest.approx([1.0, 5e-7])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title,gold,predicted,confidence,stocks\na,,stocks,1,1\n", "no score for the class 'sp"),
        ("title,stocks,sports\na,1,none\n", "prediction 1 has no number for every class"),
        ("title,stocks,sports\na,1\n", "prediction 1 has no number for every class"),
        ("text,stocks,sports\na,1,0\n", "not a predictions file"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, text: str, message: str):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=message):
        read_predictions(tmp_path / "table.csv", LABELS)


def test_a_file_that_is_not_there_or_not_json_is_refused(tmp_path: Path):
    (tmp_path / "bad.jsonl").write_text("{\n")

    for name in ("none.csv", "bad.jsonl"):
        with pytest.raises(DataError, match="not a predictions file"):
            read_predictions(tmp_path / name, LABELS)


def test_another_suffix_is_refused(tmp_path: Path):
    with (
        pytest.raises(UsageError, match=r"written as \.csv or \.jsonl"),
        open_predictions(tmp_path / "scored.txt", LABELS),
    ):
        pass
