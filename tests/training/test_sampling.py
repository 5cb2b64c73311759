"""How often titles are read, by their newsroom and label."""

import numpy as np
import pytest

from models.labels import Labels
from titles import LabelledTitles
from training.batches import LengthBucketedBatches
from training.sampling import sampling_weights

LABELS = Labels.of(["stocks", "sports"])


@pytest.fixture
def titles() -> LabelledTitles:
    """90 titles of one newsroom, 75 of them of one class; 10 of another; 25 without a label."""
    large = LabelledTitles.of(["a"] * 90, [0] * 75 + [1] * 15, LABELS, "large")
    small = LabelledTitles.of(["b"] * 10, [0] * 5 + [1] * 5, LABELS, "small")
    return LabelledTitles.joined([large, small], "both").with_unlabelled(["c"] * 25)


def test_without_balance_each_title_is_read_once(titles: LabelledTitles):
    assert sampling_weights(titles, 0.0, 0.0) is None


def test_newsrooms_may_be_read_alike(titles: LabelledTitles):
    weights = sampling_weights(titles, 1.0, 0.0)

    assert weights is not None
    assert weights.sum() == pytest.approx(125)
    thirds = [weights[:90].sum(), weights[90:100].sum(), weights[100:].sum()]
    np.testing.assert_allclose(thirds, 125 / 3)
    np.testing.assert_allclose(weights[:90], 125 / 3 / 90)


def test_between_as_they_are_and_alike_lies_the_root(titles: LabelledTitles):
    weights = sampling_weights(titles, 0.5, 0.0)

    assert weights is not None
    roots = np.sqrt([90, 10, 25])
    found = [weights[:90].sum(), weights[90:100].sum(), weights[100:].sum()]
    np.testing.assert_allclose(found, 125 * roots / roots.sum())


def test_labels_are_balanced_within_their_newsroom(titles: LabelledTitles):
    weights = sampling_weights(titles, 0.0, 1.0)

    assert weights is not None
    np.testing.assert_allclose([weights[:75].sum(), weights[75:90].sum()], [45, 45])
    np.testing.assert_allclose(weights[90:], 1.0)


def test_a_row_is_read_as_often_as_it_weighs():
    lengths, weights = [5] * 100, np.array([0.4] * 50 + [1.6] * 50)

    batches = LengthBucketedBatches(lengths, 8, 3, weights)

    epochs = [[row for batch in batches.epoch(i) for row in batch] for i in range(10)]
    assert {len(epoch) for epoch in epochs} == {100}
    assert len(batches) == 13
    counts = np.bincount(np.concatenate(epochs), minlength=100)
    assert counts[:50].sum() == pytest.approx(200, abs=35)
    assert np.bincount(epochs[0], minlength=100).max() == 2
    assert np.bincount(epochs[0], minlength=100)[50:].min() == 1
    assert epochs[0] != epochs[1]
    assert batches.epoch(0) == LengthBucketedBatches(lengths, 8, 3, weights).epoch(0)


def test_weights_of_one_leave_every_row_once():
    batches = LengthBucketedBatches([5] * 77, 8, 3, np.ones(77))

    assert sorted(row for batch in batches.epoch(4) for row in batch) == list(range(77))
