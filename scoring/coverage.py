"""What is gained by answering only the titles of which a model is sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.metrics import Gold, in_scope, right


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """A point for each number of titles that may be answered, the surest first.

    Source: El-Yaniv and Wiener 2010, "On the Foundations of Noise-free Selective Classification".

    Attributes:
        coverage: (n,) share of the titles that is answered, rising to 1.
        accuracy: (n,) share of these answers that is right.
        threshold: (n,) the least confidence among them.
    """

    coverage: np.ndarray
    accuracy: np.ndarray
    threshold: np.ndarray

    def at(self, coverage: float) -> tuple[float, float]:
        """Accuracy and threshold where at least this share is answered."""
        place = int(np.searchsorted(self.coverage, coverage - 1e-9))
        return float(self.accuracy[place]), float(self.threshold[place])


def coverage_curve(scores: np.ndarray, gold: Gold) -> CoverageCurve:
    """Of the titles in scope; at least one.

    Args:
        scores: (n, classes) probabilities as the model shows them.
    """
    known = in_scope(gold)
    confidence, hits = scores.max(axis=1)[known], right(scores, gold)[known]
    order = np.argsort(-confidence, kind="stable")
    counts = np.arange(1, len(order) + 1)
    return CoverageCurve(counts / len(order), np.cumsum(hits[order]) / counts, confidence[order])
