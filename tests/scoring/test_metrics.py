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

    confusion = metrics.confusion_matrix(gold, predicted, CLASSES)

    expected = sklearn_metrics.confusion_matrix(gold, predicted, labels=range(CLASSES))
    assert confusion.tolist() == expected.tolist()
    assert metrics.accuracy(gold, predicted) == sklearn_metrics.accuracy_score(gold, predicted)
    macro = sklearn_metrics.f1_score(gold, predicted, average="macro", zero_division=0)
    assert metrics.macro_f1(confusion) == pytest.approx(macro)
    by_class = sklearn_metrics.precision_recall_fscore_support(
        gold, predicted, labels=range(CLASSES), zero_division=0
    )
    for i, score in enumerate(metrics.class_scores(confusion, Labels.of("abcd"))):
        found = (score.precision, score.recall, score.f1, score.support)
        assert found == pytest.approx([column[i] for column in by_class])


def test_a_confusion_matrix_by_hand():
    gold, predicted = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])

    assert metrics.confusion_matrix(gold, predicted, 3).tolist() == [
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


@settings(max_examples=20)
@given(right=st.integers(5, 195))
def test_the_bootstrap_interval_of_accuracy_is_the_binomials(right: int):
    gold = np.zeros(200, dtype=int)
    predicted = (np.arange(200) >= right).astype(int)

    low, high = metrics.bootstrap_interval(gold, predicted, 2)["accuracy"]

    expected = binom.ppf([0.025, 0.975], 200, right / 200) / 200
    assert [low, high] == pytest.approx(expected, abs=0.011)


def test_the_interval_is_the_same_every_time_and_holds_the_score():
    generator = np.random.default_rng(5)
    gold = generator.integers(0, 3, 500)
    predicted = np.where(generator.random(500) < 0.8, gold, generator.integers(0, 3, 500))

    first = metrics.bootstrap_interval(gold, predicted, 3)

    assert first == metrics.bootstrap_interval(gold, predicted, 3)
    low, high = first["macro_f1"]
    assert low < metrics.macro_f1(metrics.confusion_matrix(gold, predicted, 3)) < high
