"""Whether two models differ by more than chance: McNemar's test, and Holm's correction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from models.errors import MissingDependency

try:
    from scipy.stats import binom, chi2, norm
except ImportError as error:
    raise MissingDependency(error.name or "scipy", "train") from error

EXACT_BELOW = 25
"""With fewer titles on which just one of two models is right, chi-square is too rough."""
LEVEL = 0.05
_ROUNDS = 100
"""Of a hundred draws of all signs."""


@dataclass(frozen=True)
class PairTest:
    """Two models on the same titles.

    Attributes:
        only_first: titles that the first alone gets right.
        only_second: titles that the second alone gets right.
        method: `exact` (binomial) or `chi-square` (with continuity correction); where titles count
            differently `normal` or, where few of them decide, `sign flips`.
        p_value: the chance of so uneven a split between two equally good models.
        p_holm: the same, corrected for the number of pairs.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    method: str
    p_value: float
    p_holm: float

    @property
    def differ(self) -> bool:
        """Whether the corrected test says that the two are not equally good."""
        return self.p_holm < LEVEL


def pair_tests(
    right: Mapping[str, np.ndarray], weights: np.ndarray | None = None
) -> list[PairTest]:
    """A test of every pair of models: McNemar's or, where titles count differently, a weighted one.

    Args:
        right: for each model's name, (n,) bool: which titles it gets right.
        weights: (n,) what each title counts; None: all alike.
    """
    splits, tested = [], []
    for (first, a), (second, b) in combinations(right.items(), 2):
        only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
        splits.append((first, second, only_first, only_second))
        if weights is None:
            tested.append(mcnemar(only_first, only_second))
        else:
            signs = a.astype(int) - b
            tested.append(sign_test((weights * signs)[signs != 0]))
    corrected = holm([p_value for p_value, _ in tested])
    return [
        PairTest(*split, method, p_value, p_holm)
        for split, (p_value, method), p_holm in zip(splits, tested, corrected, strict=True)
    ]


def mcnemar(only_first: int, only_second: int) -> tuple[float, str]:
    """p value and method, given on how many titles only one of two models is right.

    Source: McNemar 1947; the exact binomial test below 25 such titles, else chi-square with one
    degree of freedom and Edwards' continuity correction.
    """
    n = only_first + only_second
    if n < EXACT_BELOW:
        return min(1.0, 2 * float(binom.cdf(min(only_first, only_second), n, 0.5))), "exact"
    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / n
    return float(chi2.sf(statistic, df=1)), "chi-square"


def sign_test(differences: np.ndarray) -> tuple[float, str]:
    """p value and method of a sum, if the sign of each of its terms is as likely as the other.

    Of equal terms it is McNemar's test. The sum is about normal with variance Σ d²; where that
    means that less than `EXACT_BELOW` terms decide, signs are drawn with a fixed seed instead.

    Args:
        differences: (n,) what each title on which just one of two models is right counts for the
            first, or against it.
    Source: the permutation test of paired samples, Fisher 1935, "The Design of Experiments".
    """
    total, squares = abs(differences.sum()), np.square(differences)
    if not len(differences) or squares.sum() ** 2 >= EXACT_BELOW * np.square(squares).sum():
        deviation = np.sqrt(squares.sum()) or 1.0
        return float(2 * norm.sf(total / deviation)), "normal"
    draw = np.random.default_rng(13)
    sums = [draw.choice((-1, 1), (100, len(differences))) @ differences for _ in range(_ROUNDS)]
    reached = int((np.abs(sums) >= total * (1 - 1e-9)).sum())
    bound = 2 * np.exp(-(total**2) / (2 * squares.sum()))  # Hoeffding's, finer than few draws
    return float(min((1 + reached) / (1 + 100 * _ROUNDS), bound)), "sign flips"


def letter_groups(names: Sequence[str], pairs: Collection[PairTest]) -> dict[str, str]:
    """A compact letter display: two models share a letter unless they differ.

    Args:
        names: in the order in which the letters run.
        pairs: a test of every two of them.
    Returns:
        The letters of each name: `a`, `ab`, `b`.
    Source: Piepho 2004, "An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons": insert and absorb.
    """
    groups = [frozenset(names)]
    for first, second in ((pair.first, pair.second) for pair in pairs if pair.differ):
        split = {
            part
            for group in groups
            for part in (
                (group - {first}, group - {second}) if {first, second} <= group else [group]
            )
        }
        groups = [part for part in split if not any(part < other for other in split)]
    groups.sort(key=lambda group: sorted(map(names.index, group)))
    return {
        name: "".join(_letter(i) for i, group in enumerate(groups) if name in group)
        for name in names
    }


def _letter(number: int) -> str:
    """a to z, then a2, b2 and so on."""
    turn, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(turn + 1) if turn else "")


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected p values, in the order given (Holm 1979).

    The i-th smallest of m is multiplied by m - i (i from 0), and none is smaller than the one
    before it.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(stepped) if len(p) else stepped
    return [float(value) for value in corrected]
