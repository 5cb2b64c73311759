"""The confidence from which on a model's answers are right as often as somebody wants.

Below it the answer is "unknown". It is chosen on held-out titles, those outside all classes among
them: their every answer is wrong. Sources: Chow 1970, "On Optimum Recognition Error and Reject
Tradeoff"; Geifman and El-Yaniv 2017, "Selective Classification for Deep Neural Networks".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.metrics import right
from titles import LabelledTitles


@dataclass(frozen=True)
class Answered:
    """What a threshold does to some titles.

    Attributes:
        coverage: share of the titles that are answered; of those in scope of some class.
        precision: share of the answers that are right; None where there is none.
        outside_answered: share of the titles outside all classes that are answered all the same;
            None where there is none.
    """

    threshold: float
    coverage: float | None
    precision: float | None
    outside_answered: float | None


def answered(scores: np.ndarray, titles: LabelledTitles, threshold: float) -> Answered:
    """What becomes of titles with a label.

    Args:
        scores: (n, classes) probabilities as the model shows them.
    """
    given, known = scores.max(axis=1) >= threshold, titles.in_scope
    outside = titles.has_label & ~known
    hits = right(scores, titles.may_be)[given & titles.has_label]
    return Answered(threshold, _share(given[known]), _share(hits), _share(given[outside]))


def _share(which: np.ndarray) -> float | None:
    return float(which.mean()) if len(which) else None


def threshold_for(scores: np.ndarray, titles: LabelledTitles, precision: float) -> float | None:
    """The least confidence at which `precision` is reached; None where it never is.

    Every newsroom counts as much as any other, however many titles it has.

    Args:
        scores: (n, classes) probabilities as the model shows them.
        titles: those without a label are left out.
        precision: wanted share of right answers among those that are given.
    """
    kept = np.flatnonzero(titles.has_label)
    confidence = scores[kept].max(axis=1)
    hits, weights = right(scores, titles.may_be)[kept], _weights(titles)[kept]
    order = np.argsort(-confidence, kind="stable")
    reached = np.cumsum((weights * hits)[order]) / np.cumsum(weights[order])
    confidence = confidence[order]
    last_of_equals = np.append(np.diff(confidence) != 0, True)
    good = np.flatnonzero((reached >= precision) & last_of_equals)
    return float(confidence[good[-1]]) if len(good) else None


def _weights(titles: LabelledTitles) -> np.ndarray:
    """(n,): 1 by the number of titles of a title's newsroom."""
    _, place, counts = np.unique(
        titles.by_newsroom.newsroom_ids, return_inverse=True, return_counts=True
    )
    weights: np.ndarray = 1 / counts[place]
    return weights
