import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn import metrics as sklearn_metrics

from models.labels import Labels
from scoring import metrics

CLASSES = 4
labelled = st.lists(
    st.tuples(st.integers(0, CLASSES - 1), st.integers(0, CLASSES - 1)), min_size=1, max_size=80
)


@given(labelled)
def test_scores_equal_scikit_learns(rows: list[tuple[int, int]]):
    gold, predicted = np.array(rows).T
    probabilities = np.eye(CLASSES)[predicted]

    confusion = metrics.confusion_matrix(probabilities, gold)

    expected = sklearn_metrics.confusion_matrix(gold, predicted, labels=range(CLASSES))
    assert confusion.tolist() == expected.tolist()
    assert metrics.accuracy(probabilities, gold) == sklearn_metrics.accuracy_score(gold, predicted)
    macro = sklearn_metrics.f1_score(gold, predicted, average="macro", zero_division=0)
    assert metrics.macro_f1(probabilities, gold) == pytest.approx(macro)
    by_class = sklearn_metrics.precision_recall_fscore_support(
        gold, predicted, labels=range(CLASSES), zero_division=0
    )
    for i, score in enumerate(metrics.class_scores(confusion, Labels.of("abcd"))):
        found = (score.precision, score.recall, score.f1, score.support)
        assert found == pytest.approx([column[i] for column in by_class])


def test_accuracy_is_the_share_of_right_titles():
    always_class_1 = np.tile([0.1, 0.8, 0.1], (4, 1))

    assert metrics.accuracy(always_class_1, [1, 0, 1, 1]) == 0.75


def test_macro_f1_by_hand():
    """F1 of class 0 is 2/3, that of class 1 is 4/5; class 2 does not occur and counts for none."""
    probabilities = np.eye(3)[[0, 1, 1, 1]]

    assert metrics.macro_f1(probabilities, [0, 0, 1, 1]) == pytest.approx((2 / 3 + 4 / 5) / 2)


def test_log_loss_and_brier_by_hand():
    probabilities, gold = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]), [1, 1]

    assert metrics.log_loss(probabilities, gold) == pytest.approx(np.log(4) / 2)
    assert metrics.brier(probabilities, gold) == pytest.approx((0.25 + 0.5625 + 0.0625) / 2)


def test_a_class_ruled_out_costs_what_the_least_float32_does():
    certain = np.array([[1.0, 0.0]], np.float32)

    assert metrics.log_loss(certain, [1]) == pytest.approx(-np.log(np.finfo(np.float32).tiny))
    assert metrics.brier(certain, [1]) == 2.0


@given(st.integers(0, 2**32 - 1))
def test_log_loss_and_brier_equal_scikit_learns(seed: int):
    generator = np.random.default_rng(seed)
    probabilities = generator.dirichlet(np.full(CLASSES, 0.5), size=30)
    gold = generator.integers(0, CLASSES, 30)

    expected = sklearn_metrics.log_loss(gold, probabilities, labels=range(CLASSES))
    assert metrics.log_loss(probabilities, gold) == pytest.approx(expected)
    expected = sklearn_metrics.brier_score_loss(gold, probabilities, labels=range(CLASSES))
    assert metrics.brier(probabilities, gold) == pytest.approx(expected)


def test_a_confusion_matrix_by_hand():
    gold, predicted = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])

    assert metrics.confusion_matrix(np.eye(3)[predicted], gold).tolist() == [
        [1, 1, 0],
        [0, 1, 0],
        [0, 1, 0],
    ]


def test_calibration_error_by_hand():
    """Two bins of two: confidence 0.95 with accuracy 0.5, and 0.55 with accuracy 1."""
    probabilities = np.array([[0.95, 0.05], [0.95, 0.05], [0.55, 0.45], [0.45, 0.55]])
    gold = np.array([0, 1, 0, 1])

    error = metrics.expected_calibration_error(probabilities, gold, bins=10)

    assert error == pytest.approx(0.5 * 0.45 + 0.5 * 0.45)


def test_reliability_bins_by_hand():
    probabilities = np.array([[0.95, 0.05], [0.93, 0.07], [0.55, 0.45], [0.5, 0.5]])
    gold = np.array([0, 1, 0, 1])

    lowest, middle, highest = metrics.reliability_bins(probabilities, gold, bins=10)

    assert (lowest.low, lowest.high, lowest.titles) == (0.4, 0.5, 1)  # a bin holds its upper end
    assert (lowest.confidence, lowest.accuracy) == (0.5, 0.0)
    assert (middle.titles, middle.confidence, middle.accuracy) == (1, 0.55, 1.0)
    assert (highest.titles, highest.accuracy) == (2, 0.5)
    assert highest.confidence == pytest.approx(0.94)


def test_certain_and_right_is_perfectly_calibrated():
    assert metrics.expected_calibration_error(np.eye(3), np.arange(3)) == 0.0


@settings(max_examples=20, deadline=None)
@given(right=st.integers(5, 195))
def test_the_bootstrap_interval_of_accuracy_is_the_binomials(right: int):
    gold = np.zeros(200, dtype=int)
    predicted = (np.arange(200) >= right).astype(int)

    confusion = metrics.confusion_matrix(np.eye(2)[predicted], gold)
    low, high = metrics.bootstrap_interval(confusion)["accuracy"]

    expected = binom.ppf([0.025, 0.975], 200, right / 200) / 200
    assert [low, high] == pytest.approx(expected, abs=0.011)


def test_the_interval_of_macro_f1_is_its_own():
    """All gold is class 0, a share a of it right: F1 is 2a/(1+a) and 0, on average a/(1+a)."""
    predicted = (np.arange(200) >= 150).astype(int)
    confusion = metrics.confusion_matrix(np.eye(2)[predicted], np.zeros(200, int))

    found = metrics.bootstrap_interval(confusion)

    expected = [share / (1 + share) for share in found["accuracy"]]
    assert found["macro_f1"] == pytest.approx(expected, abs=1e-4)


def test_the_interval_is_the_same_every_time_and_holds_the_score():
    generator = np.random.default_rng(5)
    gold = generator.integers(0, 3, 500)
    predicted = np.where(generator.random(500) < 0.8, gold, generator.integers(0, 3, 500))
    confusion = metrics.confusion_matrix(np.eye(3)[predicted], gold)

    first = metrics.bootstrap_interval(confusion)

    assert first == metrics.bootstrap_interval(confusion)
    low, high = first["macro_f1"]
    assert low < metrics.macro_f1(np.eye(3)[predicted], gold) < high
