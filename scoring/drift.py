"""How far a model's answers have moved from those that it gave when it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.classifier import is_unknown
from models.labels import Labels
from models.manifest import Answers

UNKNOWN = "unknown"
TENTHS = tuple(i / 10 for i in range(1, 11))
"""Upper bounds of the confidence."""
_LEAST_SHARE = 1e-4
"""What is rarer counts as this, so that a class nobody expected is no infinity."""


def answers_of(
    scores: np.ndarray, titles: Sequence[str], labels: Labels, threshold: float
) -> Answers:
    """Shares of the classes and of the confidence.

    Args:
        scores: (n, classes), calibrated.
    """
    best, confidence = scores.argmax(axis=1), scores.max(axis=1)
    unknown = np.array(
        [is_unknown(t, float(c), threshold) for t, c in zip(titles, confidence, strict=True)]
    )
    shares = np.bincount(best[~unknown], minlength=len(labels)) / len(titles)
    classes = dict(zip(labels.names, shares.tolist(), strict=True))
    tenths = np.bincount(np.searchsorted(TENTHS, confidence).clip(max=9), minlength=10)
    return Answers(classes | {UNKNOWN: float(unknown.mean())}, tuple(tenths / len(titles)))


def stability_index(expected: Mapping[str, float], found: Mapping[str, int]) -> float:
    """Population stability index: the sum of (a - e) ln(a / e) over shares expected and found.

    By custom, below 0.1 nothing has changed, and above 0.25 much has.
    Source: Siddiqi 2006, "Credit Risk Scorecards".

    Args:
        expected: shares; what is missing is not expected at all.
        found: counts, one at least above 0.
    """
    names = sorted({*expected, *found})
    e = np.array([expected.get(name, 0.0) for name in names]).clip(min=_LEAST_SHARE)
    a = np.array([found.get(name, 0) for name in names], np.float64)
    a = (a / a.sum()).clip(min=_LEAST_SHARE)
    return float(((a - e) * np.log(a / e)).sum())
