"""The class of a title told from its width alone, whatever it says.

A newsroom cuts its titles to the room they have on its pages, and a class is fed by few newsrooms:
two numbers, characters and columns, already say more than chance. Beside models that read, which
cannot count, they are a voice of their own.
Source: Breiman 2001, "Random Forests".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from baselines.tfidf_forest import ForestClassifier
from models.bounds import Checked, PositiveInt, Seed
from models.errors import MissingDependency
from models.title_text import clean, width
from titles import LabelledTitles

try:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import Pipeline
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error


@dataclass(frozen=True)
class WidthSettings(Checked):
    """How finely widths are told apart."""

    trees: PositiveInt = 100
    """Trees whose leaf frequencies are averaged."""
    min_leaf_titles: PositiveInt = 30
    """Training titles in a leaf, at least; a class's frequency is read from so many."""
    seed: Seed = 13
    """Of the titles and splits that each tree is given."""


class WidthClassifier(ForestClassifier):
    """Scores titles by how many characters and columns they have."""

    route: ClassVar[str] = "width"
    steps: ClassVar[tuple[type, ...]] = (RandomForestClassifier,)
    trusted_types: ClassVar[list[str]] = ["sklearn.tree._tree.Tree"]

    @staticmethod
    def columns(titles: Sequence[str]) -> np.ndarray:
        """(n, 2) int64: characters and columns."""
        return np.array([width(clean(title)) for title in titles])


def train_width(
    titles: LabelledTitles,
    settings: WidthSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> WidthClassifier:
    """Count widths; seconds for tens of thousands of titles.

    Args:
        progress: told a line at the start.
    Raises:
        DataError: a title without a label, or fewer than two classes.
    """
    settings = settings or WidthSettings()
    titles.require_two_classes()
    if progress:
        progress(f"measuring {len(titles):,} titles")
    forest = RandomForestClassifier(
        settings.trees,
        min_samples_leaf=settings.min_leaf_titles,
        max_features=1,
        random_state=settings.seed,
    )
    forest.fit(WidthClassifier.columns(titles.titles), titles.label_ids)
    return WidthClassifier(Pipeline([("forest", forest)]), titles.labels)
