"""A random forest over TF-IDF features of characters and words: the classic baseline.

Source: Breiman 2001, "Random Forests".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from baselines.features import FeatureSettings, fit_features
from baselines.sklearn_route import SklearnClassifier
from models.bounds import NonNegativeFloat, NonNegativeInt, PositiveInt, Seed, Whole
from models.errors import MissingDependency
from models.labels import Labels
from titles import LabelledTitles

try:
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import SelectKBest, chi2
    from sklearn.pipeline import Pipeline
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error

_TREES_PER_REPORT = 10


@dataclass(frozen=True)
class ForestSettings(FeatureSettings):
    """How to train the forest."""

    character_ngrams: PositiveInt = 2
    """Characters of the longest character n-gram; all shorter ones are counted too."""
    word_weight: NonNegativeFloat = 1.0
    """Factor on the word columns when columns are chosen; the character columns have 1."""
    selected_features: PositiveInt = 20_000
    """Columns kept: those that depend most on the class (chi-squared)."""
    trees: PositiveInt = 200
    """Trees in the forest."""
    min_leaf_titles: PositiveInt = 2
    """Training titles in a leaf, at least; more make a smaller model."""
    max_leaves: Annotated[int, Whole(least=2, besides=(0,))] = 0
    """Leaves of a tree, at most; 0 = no limit."""
    features_per_split: NonNegativeInt = 0
    """Columns tried at a split; 0 = the square root of those kept."""
    jobs: Annotated[int, Whole(least=1, besides=(-1,))] = -1
    """Processor cores used to train; -1 = all. The forest is the same for any number."""
    seed: Seed = 13
    """Of the titles and columns that each tree sees."""


class ForestClassifier(SklearnClassifier):
    """Scores titles with the mean of the trees' leaf frequencies."""

    route: ClassVar[str] = "forest"
    steps: ClassVar[tuple[type, ...]] = (ColumnTransformer, SelectKBest, RandomForestClassifier)
    trusted_types: ClassVar[list[str]] = [
        "sklearn.feature_selection._univariate_selection.chi2",
        "sklearn.tree._tree.Tree",  # checked by `check_trees`
    ]

    def probabilities(self, columns: np.ndarray) -> np.ndarray:
        return np.asarray(self.pipeline.predict_proba(columns))

    @classmethod
    def check(cls, pipeline: Pipeline, labels: Labels) -> None:
        super().check(pipeline, labels)
        check_trees(pipeline[-1])


def check_trees(forest: RandomForestClassifier) -> None:
    """Refuse trees that scikit-learn could not walk safely.

    It follows the numbers in a tree without looking: a crafted one may point outside of the
    memory, or in a circle. Children of a well-formed node stand behind it.

    Raises:
        ValueError: names the first bad tree.
    """
    for number, estimator in enumerate(forest.estimators_):
        nodes = estimator.tree_.__getstate__()["nodes"]
        places = np.flatnonzero(nodes["left_child"] != -1)
        inner = nodes[places]
        children = np.stack([inner["left_child"], inner["right_child"]])  # (2, inner nodes)
        walkable = (children > places) & (children < len(nodes))
        known = (inner["feature"] >= 0) & (inner["feature"] < forest.n_features_in_)
        if not (walkable.all() and known.all()):
            raise ValueError(f"tree {number} points to a node or a column that does not exist")


def train_forest(
    titles: LabelledTitles,
    settings: ForestSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> ForestClassifier:
    """Fit the forest; minutes for tens of thousands of titles.

    Args:
        progress: told a line at the start of each stage and every ten trees.
    Raises:
        DataError: a title without a label, or fewer than two classes.
    """
    settings = settings or ForestSettings()
    titles.require_two_classes()
    report = progress or (lambda line: None)
    report(f"counting n-grams of {len(titles):,} titles")
    features, matrix = fit_features(settings, titles.titles)
    selection = SelectKBest(chi2, k=min(settings.selected_features, matrix.shape[1]))
    chosen = selection.fit_transform(matrix, titles.label_ids)
    forest = _grow(chosen, titles.label_ids, settings, report)
    steps = [("features", features), ("selection", selection), ("forest", forest)]
    return ForestClassifier(Pipeline(steps), titles.labels)


def _grow(
    matrix: np.ndarray, classes: np.ndarray, settings: ForestSettings, report: Callable[[str], None]
) -> RandomForestClassifier:
    """The forest a few trees at a time: the same one as grown at once."""
    forest = RandomForestClassifier(
        max_leaf_nodes=settings.max_leaves or None,
        min_samples_leaf=settings.min_leaf_titles,
        max_features=settings.features_per_split or "sqrt",
        n_jobs=settings.jobs,
        random_state=settings.seed,
        warm_start=True,
    )
    for done in range(0, settings.trees, _TREES_PER_REPORT):
        report(f"growing trees: {done} of {settings.trees}")
        forest.set_params(n_estimators=min(done + _TREES_PER_REPORT, settings.trees))
        forest.fit(matrix, classes)
    return forest.set_params(n_jobs=1)  # threads cost more than they bring for a few titles
