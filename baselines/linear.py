"""A linear model over n-grams of characters and words: the strongest cheap baseline.

A support vector machine, one class against the rest; its margins, scaled, are read as logits. It
scored higher on dev than logistic regression over the same features.
Source: Wang and Manning 2012, "Baselines and Bigrams"; Fan et al. 2008, LIBLINEAR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from baselines.features import FeatureSettings, fit_features
from baselines.sklearn_route import SklearnClassifier
from models.bounds import PositiveFloat, PositiveInt, Seed
from models.calibration import softmax
from models.errors import MissingDependency
from titles import LabelledTitles

try:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.svm import LinearSVC
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error


@dataclass(frozen=True)
class LinearSettings(FeatureSettings):
    """How to train the linear model."""

    inverse_regularisation: PositiveFloat = 1.0
    """LinearSVC's C: larger fits the training titles more closely."""
    margin_scale: PositiveFloat = 3.5
    """Factor that makes a margin a logit; a temperature fitted on dev corrects it further."""
    max_iterations: PositiveInt = 1000
    """Passes of the solver over the titles, at most."""
    seed: Seed = 13
    """Of the order in which the solver visits the titles."""


class LinearClassifier(SklearnClassifier):
    """Scores titles with a linear model; `decision_function` of its pipeline gives logits."""

    route: ClassVar[str] = "linear"
    steps: ClassVar[tuple[type, ...]] = (ColumnTransformer, LinearSVC)

    def probabilities(self, columns: np.ndarray) -> np.ndarray:
        logits = self.pipeline.decision_function(columns)
        if logits.ndim == 1:  # two classes have one margin
            logits = np.stack([-logits, logits], axis=1)
        return softmax(logits)


def train_linear(
    titles: LabelledTitles,
    settings: LinearSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> LinearClassifier:
    """Fit the linear model; seconds for tens of thousands of titles, on one core.

    Args:
        progress: told a line at the start of each stage.
    Raises:
        DataError: a title without a label, or fewer than two classes.
    """
    settings = settings or LinearSettings()
    titles.require_two_classes()
    report = progress or (lambda line: None)
    report(f"counting n-grams of {len(titles):,} titles")
    features, matrix = fit_features(settings, titles.titles)
    report("fitting the linear model")
    svm = LinearSVC(
        C=settings.inverse_regularisation,
        max_iter=settings.max_iterations,
        random_state=settings.seed,
    )
    svm.fit(matrix, titles.label_ids)
    svm.coef_ = (svm.coef_ * settings.margin_scale).astype(np.float32)
    svm.intercept_ = (svm.intercept_ * settings.margin_scale).astype(np.float32)
    return LinearClassifier(Pipeline([("features", features), ("svm", svm)]), titles.labels)
