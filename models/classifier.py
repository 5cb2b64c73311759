"""What a title classifier is: the one protocol that every route satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from models.labels import Labels
from models.title_text import is_readable


class Scores(NamedTuple):
    """What one pass over titles tells of them, in their order."""

    probabilities: np.ndarray
    """(titles, classes) float32; every row sums to 1; no title, (0, classes)."""
    truncated: np.ndarray
    """(titles,) bool: whether the title's end was cut off before it was scored."""

    @classmethod
    def of_whole_titles(cls, probabilities: np.ndarray) -> Self:
        """Those of a model that reads every title to its end."""
        return cls(probabilities, np.zeros(len(probabilities), dtype=bool))


class TitleClassifier(Protocol):
    """Scores titles. Evaluation, comparison, the command line and the service know no more."""

    labels: Labels
    """The classes, in the order of the scores' columns."""

    def score(self, titles: Sequence[str]) -> Scores:
        """Score titles in one pass over their tokens."""
        ...

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        """Their probabilities alone, (titles, classes) float32."""
        ...

    def close(self) -> None:
        """End the threads and free what they work with; the model scores nothing from then on.

        It may be called again. What the object still holds goes with the last reference to it.
        """
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
    readable: bool
    """Whether the title says something in a script that models have read (`is_readable`)."""
    unknown: bool
    """Whether the best class is too unsure to be an answer."""

    @property
    def best(self) -> Ranked:
        return self.ranking[0]


def is_unknown(title: str, confidence: float, threshold: float) -> bool:
    """Whether a title's class is no answer: too unsure, or of a title that cannot be read."""
    return not is_readable(title) or bool(confidence < threshold)


def predict(
    classifier: TitleClassifier, titles: Sequence[str], top_k: int = 1, threshold: float = 0.0
) -> list[Prediction]:
    """The `top_k` most probable classes of each title, in the titles' order; see `rank`."""
    return rank(titles, classifier.score(titles), classifier.labels, top_k, threshold)


def rank(
    titles: Sequence[str], scores: Scores, labels: Labels, top_k: int = 1, threshold: float = 0.0
) -> list[Prediction]:
    """What the scores say of each title.

    Ties are broken by the labels' order; `top_k` above the number of classes gives them all.

    Args:
        scores: of the titles, as they are shown.
        threshold: confidence below which a title's class is unknown.
    """
    probabilities, truncated = scores
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :top_k].tolist()
    names, display_names = labels.names, labels.display_names
    found = []
    for title, row, best, cut in zip(titles, probabilities.tolist(), order, truncated, strict=True):
        ranking = tuple(Ranked(names[j], display_names[j], row[j]) for j in best)
        unknown = is_unknown(title, ranking[0].score, threshold)
        found.append(Prediction(title, ranking, bool(cut), is_readable(title), unknown))
    return found
