from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from evaluation.significance import (
    EXACT_BELOW,
    PairTest,
    holm,
    letter_groups,
    mcnemar,
    pair_tests,
    sign_test,
)

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


@given(st.integers(30, 200), st.integers(30, 200))
def test_with_equal_weights_the_sign_test_is_mcnemars(first: int, second: int):
    """Without continuity correction: z² is chi-square."""
    p_value, method = sign_test(np.array([0.25] * first + [-0.25] * second))

    assert method == "normal"
    assert p_value == pytest.approx(chi2.sf((first - second) ** 2 / (first + second), df=1))


def test_where_few_titles_decide_signs_are_drawn():
    """One title counts as a thousand at odds: in half of the draws they add to its side."""
    p_value, method = sign_test(np.array([1.0] + [0.001, -0.001] * 250))

    assert method == "sign flips"
    assert p_value == pytest.approx(0.5, abs=0.05)
    few, _ = sign_test(np.array([0.1] * 9 + [-0.1]))
    assert few == pytest.approx(binomtest(1, 10).pvalue, abs=0.01)
    assert sign_test(np.array([]))[0] == 1.0


def test_how_many_signs_are_drawn_does_not_bound_the_p_of_a_clear_difference():
    """All of 100 differences speak for one model, ten of them ten times as loud."""
    p_value, method = sign_test(np.array([1.0] * 10 + [0.1] * 90))

    assert method == "sign flips"
    assert p_value == pytest.approx(2 * np.exp(-(19.0**2) / (2 * 10.9)))


def test_titles_that_count_more_decide_between_models():
    right = {"a": np.array([True] * 30 + [False] * 40), "b": np.array([False] * 30 + [True] * 40)}
    weights = np.array([0.03] * 30 + [0.0025] * 40)

    (plain,), (weighted,) = pair_tests(right), pair_tests(right, weights)

    assert (plain.only_first, plain.only_second) == (30, 40)
    assert (weighted.only_first, weighted.only_second) == (30, 40)
    assert plain.p_value > 0.05 > weighted.p_value


def differing(*pairs: str) -> list[PairTest]:
    """Every pair of the letters a to e, of which those named differ."""
    return [
        PairTest(x, y, 0, 0, "exact", 0.0, 0.0 if x + y in pairs else 1.0)
        for x, y in combinations("abcde", 2)
    ]


@pytest.mark.parametrize(
    ("pairs", "letters"),
    [
        ([], ["a", "a", "a", "a", "a"]),
        (["ac", "ad", "ae", "bd", "be", "ce"], ["a", "ab", "bc", "cd", "d"]),
        (["ae"], ["a", "ab", "ab", "ab", "b"]),
        ([x + y for x, y in combinations("abcde", 2)], ["a", "b", "c", "d", "e"]),
    ],
)
def test_letters_by_hand(pairs: list[str], letters: list[str]):
    assert letter_groups("abcde", differing(*pairs)) == dict(zip("abcde", letters, strict=True))


@given(st.sets(st.sampled_from([x + y for x, y in combinations("abcde", 2)])))
def test_two_models_share_a_letter_if_and_only_if_they_do_not_differ(pairs: set[str]):
    letters = letter_groups("abcde", differing(*pairs))

    for x, y in combinations("abcde", 2):
        assert bool(set(letters[x]) & set(letters[y])) == (x + y not in pairs)
