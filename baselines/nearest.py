"""The training titles most like a title, asked for their labels (k nearest neighbours).

    p(c) ∝ ε + Σ cos(x, xᵢ)⁴ [yᵢ = c]      over the k nearest xᵢ, x the TF-IDF vector of a title

Alone it is a weak classifier. Beside others it is a strong voice, since it errs elsewhere: news
repeats itself, and a story told a second time stands where it stood the first time.
Source: Cover and Hart 1967; weights by similarity as in Yang and Liu 1999.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from baselines.features import FeatureSettings, tfidf_columns, title_columns
from baselines.sklearn_route import SklearnClassifier
from baselines.training_rows import check_rows
from models.errors import MissingDependency, UsageError
from models.labels import Labels

try:
    from sklearn.compose import ColumnTransformer
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error

SHARPNESS = 4
"""Exponent of the similarity: how much more the nearest count than the next."""
FLOOR = 1e-3
"""ε: what a class has without any neighbour."""


@dataclass(frozen=True)
class NearestSettings(FeatureSettings):
    """Which titles are asked."""

    neighbours: int = 20
    """Titles asked, k."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.neighbours < 1:
            raise UsageError("neighbours must be at least 1")


class NearestClassifier(SklearnClassifier):
    """Scores titles by the labels of the training titles most like them."""

    route: ClassVar[str] = "nearest"
    steps: ClassVar[tuple[type, ...]] = (ColumnTransformer, KNeighborsClassifier)
    trusted_types: ClassVar[list[str]] = ["scipy.sparse._csr.csr_matrix"]

    def scores(self, columns: np.ndarray) -> np.ndarray:
        features, neighbours = (step for _, step in self.pipeline.steps)
        distances, rows = neighbours.kneighbors(features.transform(columns))
        weights = np.clip(1 - distances, 0, 1) ** SHARPNESS  # (n, k)
        votes = np.full((len(columns), len(neighbours.classes_)), FLOOR)
        asked = np.arange(len(columns))[:, None]
        np.add.at(votes, (asked, neighbours._y[rows]), weights)
        scores: np.ndarray = votes / votes.sum(axis=1, keepdims=True)
        return scores


def train_nearest(
    titles: Sequence[str],
    label_ids: Sequence[int],
    labels: Labels,
    settings: NearestSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> NearestClassifier:
    """Index the training titles; seconds for tens of thousands.

    Args:
        progress: told a line at the start of each stage.
    Raises:
        DataError: the rows do not fit each other or the labels.
    """
    settings = settings or NearestSettings()
    check_rows(titles, label_ids, labels)
    report = progress or (lambda line: None)
    report(f"counting n-grams of {len(titles):,} titles")
    features = tfidf_columns(settings, len(titles))
    neighbours = KNeighborsClassifier(
        min(settings.neighbours, len(titles)), metric="cosine", algorithm="brute"
    )
    neighbours.fit(features.fit_transform(title_columns(titles)), np.asarray(label_ids))
    return NearestClassifier(Pipeline([("features", features), ("neighbours", neighbours)]), labels)
