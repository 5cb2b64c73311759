import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from evaluation.significance import EXACT_BELOW, holm, mcnemar, pair_tests

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(st.integers(0, 24), st.integers(0, 24))
def test_few_discordant_titles_are_tested_exactly(first: int, second: int):
    if first + second >= EXACT_BELOW:
        return
    p_value, method = mcnemar(first, second)

    assert method == "exact"
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert p_value == pytest.approx(expected)


@given(st.integers(0, 400), st.integers(0, 400))
def test_many_are_tested_with_continuity_correction(first: int, second: int):
    if first + second < EXACT_BELOW:
        return
    p_value, method = mcnemar(first, second)

    assert method == "chi-square"
    if first == second:
        assert p_value == 1.0
    else:  # as statsmodels writes it
        statistic = (abs(first - second) - 1) ** 2 / (first + second)
        assert p_value == pytest.approx(chi2.sf(statistic, 1))


def test_mcnemar_by_hand():
    """Agresti's approval ratings: 86 and 150 changed their minds; (64 - 1)² / 236 = 16.818."""
    p_value, _ = mcnemar(86, 150)

    assert p_value == pytest.approx(chi2.sf(63**2 / 236, 1))
    assert p_value == pytest.approx(4.115e-05, rel=1e-3)


def test_holm_by_hand():
    """Sorted 0.005 · 4, 0.01 · 3, 0.03 · 2, and 0.04 · 1 = 0.04, raised to the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(p_values)
def test_holm_corrects_upwards_and_keeps_the_order(values: list[float]):
    corrected = holm(values)

    assert all(before <= after <= 1 for before, after in zip(values, corrected, strict=True))
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(np.array(corrected)[order]) >= 0)
    assert min(corrected) == pytest.approx(min(1.0, len(values) * min(values)))


def test_pairs_count_the_titles_that_one_alone_gets_right():
    right = {
        "a": np.array([True] * 30 + [False] * 10),
        "b": np.array([True] * 10 + [False] * 20 + [True] * 2 + [False] * 8),
        "c": np.array([True] * 30 + [False] * 10),
    }

    pairs = pair_tests(right)

    assert [(p.first, p.second, p.only_first, p.only_second) for p in pairs] == [
        ("a", "b", 20, 2),
        ("a", "c", 0, 0),
        ("b", "c", 2, 20),
    ]
    assert [p.p_holm for p in pairs] == pytest.approx(
        [3 * pairs[0].p_value, 1.0, 3 * pairs[2].p_value]
    )
    assert [p.differ for p in pairs] == [True, False, True]
