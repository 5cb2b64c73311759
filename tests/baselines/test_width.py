from pathlib import Path

import numpy as np
import pytest

from baselines.width import WidthClassifier, WidthSettings, train_width
from models import artifact
from models.errors import DataError, UsageError
from models.labels import Labels
from titles import LabelledTitles

LABELS = Labels.of(["short", "long", "latin"])
TITLES = ["股市上涨"] * 40 + ["股市今日收盘上涨一成"] * 40 + ["a" * 10] * 40
LABEL_IDS = [0] * 40 + [1] * 40 + [2] * 40


@pytest.fixture(scope="module")
def model() -> WidthClassifier:
    return train_width(
        LabelledTitles.of(TITLES, LABEL_IDS, LABELS), WidthSettings(min_leaf_titles=5)
    )


def test_titles_are_told_apart_by_characters_and_columns_alone(model: WidthClassifier):
    unseen = ["球队夺冠", "高考录取分数今日公布", "b" * 10]

    scores = model.predict_proba(unseen)

    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    assert (scores == model.predict_proba([TITLES[0], TITLES[40], TITLES[80]])).all()


def test_a_width_that_classes_share_gets_their_frequencies():
    gold = [0] * 60 + [1] * 40
    model = train_width(
        LabelledTitles.of(["股市上涨"] * 100, gold, LABELS), WidthSettings(trees=400)
    )

    scores = model.predict_proba(["球队夺冠", ""])

    assert scores == pytest.approx(np.array([[0.6, 0.4, 0.0]] * 2), abs=0.01)


def test_no_titles_give_no_rows(model: WidthClassifier):
    assert model.predict_proba([]).shape == (0, 3)


def test_saved_and_loaded_it_scores_identically(model: WidthClassifier, tmp_path: Path):
    artifact.save(model, tmp_path / "width")

    loaded = artifact.load(tmp_path / "width").uncalibrated

    assert isinstance(loaded, WidthClassifier)
    titles = ["", "股", "a股", "ＡＢＣ　１２３", "高" * 500]
    assert (loaded.predict_proba(titles) == model.predict_proba(titles)).all()


def test_one_class_is_refused():
    with pytest.raises(DataError, match="at least two"):
        train_width(LabelledTitles.of(["股市"] * 3, [0] * 3, LABELS))


@pytest.mark.parametrize("field", ["trees", "min_leaf_titles"])
def test_settings_without_meaning_are_refused(field: str):
    with pytest.raises(UsageError, match=f"{field} must be at least 1, not 0"):
        WidthSettings(**{field: 0})
