"""What a title classifier is: the one protocol that every route satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from models.labels import Labels


class TitleClassifier(Protocol):
    """Scores titles. Evaluation, comparison, the command line and the service know no more."""

    @property
    def labels(self) -> Labels:
        """The classes, in the order of the scores' columns."""
        ...

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        """Probabilities, (titles, classes) float32; every row sums to 1; no title, (0, classes)."""
        ...

    def truncated(self, titles: Sequence[str]) -> list[bool]:
        """For each title, whether its end was cut off before it was scored."""
        ...


@dataclass(frozen=True)
class Ranked:
    """One class and its probability."""

    label: str
    display_name: str
    score: float


@dataclass(frozen=True)
class Prediction:
    """What is said of one title: its classes from the most to the least probable."""

    title: str
    ranking: tuple[Ranked, ...]
    truncated: bool

    @property
    def best(self) -> Ranked:
        return self.ranking[0]


def predict(classifier: TitleClassifier, titles: Sequence[str], top_k: int = 1) -> list[Prediction]:
    """The `top_k` most probable classes of each title, in the titles' order.

    Ties are broken by the labels' order; `top_k` above the number of classes gives them all.
    """
    probabilities = classifier.predict_proba(titles)
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :top_k]
    labels = classifier.labels
    return [
        Prediction(
            title=title,
            ranking=tuple(
                Ranked(labels.names[j], labels.display_names[j], float(row[j])) for j in best
            ),
            truncated=cut,
        )
        for title, row, best, cut in zip(
            titles, probabilities, order, classifier.truncated(titles), strict=True
        )
    ]
