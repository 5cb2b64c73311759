import numpy as np
import pytest

from scoring.coverage import coverage_curve


def test_the_surest_titles_are_answered_first():
    """Confidences 0.9, 0.8, 0.7, 0.6: right, right, wrong, right."""
    scores = np.array([[0.7, 0.3], [0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])

    curve = coverage_curve(scores, [1, 0, 1, 0])

    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.accuracy.tolist() == pytest.approx([1, 1, 2 / 3, 3 / 4])
    assert curve.threshold.tolist() == [0.9, 0.8, 0.7, 0.6]
    assert curve.at(0.5) == (1.0, 0.8)
    assert curve.at(0.51) == (pytest.approx(2 / 3), 0.7)
    assert curve.at(1.0) == (0.75, 0.6)


def test_titles_of_no_class_are_left_out():
    scores = np.array([[0.9, 0.1], [0.6, 0.4]])
    may_be = np.array([[False, False], [True, False]])

    assert coverage_curve(scores, may_be).threshold.tolist() == [0.6]
