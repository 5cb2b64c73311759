"""The training titles most like a title, asked for their labels (k nearest neighbours, softened).

    p(c) ∝ ε + Σᵢ cos(x, xᵢ)⁶ [yᵢ = c] / Σᵢ cos(x, xᵢ)⁶      xᵢ: TF-IDF vector of training title i

All titles vote; the exponent leaves the word to the nearest. Alone it is a weak classifier. Beside
others it is a strong voice, since it errs elsewhere: news repeats itself, and a story told a second
time stands where it stood the first time.
Source: Cover and Hart 1967; weights by similarity as in Yang and Liu 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from baselines.features import FeatureSettings, fit_features
from baselines.sklearn_route import SklearnClassifier
from models.errors import MissingDependency
from models.labels import Labels
from titles import LabelledTitles

try:
    from sklearn.compose import ColumnTransformer
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import normalize
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error

SHARPNESS = 6
"""Exponent of the similarity: how much more the nearest count than the next."""
FLOOR = 1e-3
"""ε: what a class has without any vote."""


@dataclass(frozen=True)
class NearestSettings(FeatureSettings):
    """Which n-grams make titles alike."""


class NearestClassifier(SklearnClassifier):
    """Scores titles by the labels of the training titles, the more the more alike they are."""

    route: ClassVar[str] = "nearest"
    steps: ClassVar[tuple[type, ...]] = (ColumnTransformer, KNeighborsClassifier)
    titles_at_once: ClassVar[int] = 256  # a title is somewhat like a good part of all others
    trusted_types: ClassVar[list[str]] = ["scipy.sparse._csr.csr_matrix"]

    def __init__(self, pipeline: Pipeline, labels: Labels, max_length: int | None = None):
        super().__init__(pipeline, labels, max_length)
        memory = pipeline[-1]
        self._by_feature = memory._fit_X.T.tocsr()  # (features, training titles)
        self._votes = np.eye(len(memory.classes_), dtype=np.float32)[memory._y]

    def probabilities(self, columns: np.ndarray) -> np.ndarray:
        similarities = normalize(self.pipeline[0].transform(columns)) @ self._by_feature
        similarities.data **= SHARPNESS
        votes = similarities @ self._votes  # (n, trained classes)
        shares = votes / np.maximum(votes.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        floored = shares + FLOOR
        probabilities: np.ndarray = floored / floored.sum(axis=1, keepdims=True)
        return probabilities

    @classmethod
    def check(cls, pipeline: Pipeline, labels: Labels) -> None:
        super().check(pipeline, labels)
        memory = pipeline[-1]
        if memory._fit_X.shape[0] != len(memory._y):
            raise ValueError(f"{memory._fit_X.shape[0]} titles have {len(memory._y)} labels")


def train_nearest(
    titles: LabelledTitles,
    settings: NearestSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> NearestClassifier:
    """Index the training titles; seconds for tens of thousands.

    Args:
        progress: told a line at the start of each stage.
    Raises:
        DataError: a title without a label, or fewer than two classes.
    """
    settings = settings or NearestSettings()
    titles.require_two_classes()
    report = progress or (lambda line: None)
    report(f"counting n-grams of {len(titles):,} titles")
    features, matrix = fit_features(settings, titles.titles)
    vectors = normalize(matrix)
    memory = KNeighborsClassifier(algorithm="brute").fit(vectors, titles.label_ids)
    return NearestClassifier(Pipeline([("features", features), ("memory", memory)]), titles.labels)
