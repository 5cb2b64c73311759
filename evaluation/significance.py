"""Whether two models differ by more than chance: McNemar's test, and Holm's correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from models.errors import MissingDependency

try:
    from scipy.stats import binom, chi2
except ImportError as error:
    raise MissingDependency(error.name or "scipy", "train") from error

EXACT_BELOW = 25
"""With fewer titles on which just one of two models is right, chi-square is too rough."""
LEVEL = 0.05


@dataclass(frozen=True)
class PairTest:
    """Two models on the same titles.

    Attributes:
        only_first: titles that the first alone gets right.
        only_second: titles that the second alone gets right.
        method: `exact` (binomial) or `chi-square` (with continuity correction).
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


def pair_tests(right: Mapping[str, np.ndarray]) -> list[PairTest]:
    """McNemar's test of every pair of models.

    Args:
        right: for each model's name, (n,) bool: which titles it gets right.
    """
    splits = [
        (first, second, int((a & ~b).sum()), int((b & ~a).sum()))
        for (first, a), (second, b) in combinations(right.items(), 2)
    ]
    tested = [mcnemar(only_first, only_second) for _, _, only_first, only_second in splits]
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
