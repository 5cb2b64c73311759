"""Whatever titles are read: the cheap routes learn them or refuse them, and score what comes."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.linear import train_linear
from baselines.nearest import train_nearest
from baselines.width import WidthSettings, train_width
from models.errors import DataError
from models.labels import Labels
from models.route import Route
from tests.titles.strategies import CLASSES, titles
from titles import LabelledTitles

LABELS = Labels.of(CLASSES)
learned = st.lists(st.tuples(titles, st.integers(0, 2)), max_size=14)


@pytest.mark.parametrize(
    "train", [train_linear, train_nearest, lambda t: train_width(t, WidthSettings(trees=2))]
)
@settings(max_examples=8)
@given(rows=learned, asked=st.lists(titles, min_size=1, max_size=3))
def test_titles_are_learned_or_refused(
    train: Callable[[LabelledTitles], Route], rows: list[tuple[str, int]], asked: list[str]
):
    data = LabelledTitles.of([t for t, _ in rows], [label for _, label in rows], LABELS)
    try:
        model = train(data)
    except DataError:
        kinds = {label for _, label in rows}
        assert len(kinds) < 2 or len({title for title, _ in rows}) < len(rows)
        return
    scores = model.predict_proba(asked)

    assert scores.shape == (len(asked), 3)
    assert np.isfinite(scores).all()
    assert scores.sum(axis=1) == pytest.approx(np.ones(len(asked)), abs=1e-5)
