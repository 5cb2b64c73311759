"""What answers are held against, and how far they have moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.labels import Labels
from scoring.drift import answers_of, stability_index

LABELS = Labels.of(["stocks", "sports", "game"])


def test_answers_are_told_as_shares_of_classes_and_of_tenths_of_confidence():
    scores = np.array(
        [[0.7, 0.2, 0.1], [0.1, 0.9, 0.0], [0.35, 0.33, 0.32], [0.0, 0.0, 1.0]], np.float32
    )
    found = answers_of(scores, ["股", "球", "玩", "？"], LABELS, threshold=0.5)
    # the third is too unsure, the fourth cannot be read
    assert found.classes == {"stocks": 0.25, "sports": 0.25, "game": 0.0, "unknown": 0.5}
    assert sum(found.confidence) == 1
    assert found.confidence[3] == 0.25  # 0.35
    assert found.confidence[9] == 0.25  # 1


def test_without_a_threshold_what_can_be_read_is_answered():
    scores = np.full((2, 3), 1 / 3, np.float32)
    found = answers_of(scores, ["股", "球"], LABELS, threshold=0.0)
    assert found.classes == {"stocks": 1.0, "sports": 0.0, "game": 0.0, "unknown": 0.0}


def test_the_index_is_that_of_the_literature():
    expected, found = {"a": 0.5, "b": 0.5}, {"a": 75, "b": 25}
    by_hand = 0.25 * math.log(1.5) - 0.25 * math.log(0.5)
    assert (
        stability_index(expected, found)
        == pytest.approx(by_hand)
        == pytest.approx(0.27465, abs=1e-5)
    )
    assert stability_index(expected, {"a": 10, "b": 10}) == 0


def test_a_class_that_nobody_expected_or_that_never_comes_is_much_and_not_infinite():
    new = stability_index({"a": 1.0}, {"a": 50, "b": 50})
    gone = stability_index({"a": 0.5, "b": 0.5}, {"a": 100})
    assert 1 < new < 10
    assert 1 < gone < 10
