"""A fitted scikit-learn pipeline as a title classifier, saved with skops.

A skops file names types instead of pickling objects; only types on a list are built. scikit-learn's
own are on skops' list, and a route adds by name the few that it needs besides.
"""

from __future__ import annotations

import zipfile
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from baselines.features import title_columns
from models.classifier import Scores
from models.errors import CorruptArtifact, MissingDependency
from models.labels import Labels
from models.route import Route

try:
    import skops.io
    from sklearn.pipeline import Pipeline
except ImportError as error:
    raise MissingDependency(error.name or "skops", "train") from error

MODEL_FILE = "model.skops"


class SklearnClassifier(Route):
    """Scores titles with a pipeline over their `columns`.

    Args:
        pipeline: fitted on label ids, so that its classes are column numbers.
        labels: all classes; those absent from the training titles get probability 0.
        max_length: always None, since a title is read whole.
    """

    route: ClassVar[str]
    probe_tolerance: float = 1e-4
    steps: ClassVar[tuple[type, ...]]
    """The types of the pipeline's steps, in order."""
    titles_at_once: ClassVar[int] = 4096
    """Titles whose features are in memory together."""
    trusted_types: ClassVar[list[str]] = []
    """What may be built from the file besides what skops trusts by default."""

    def __init__(self, pipeline: Pipeline, labels: Labels, max_length: int | None = None):
        self.pipeline = pipeline
        self.labels = labels
        self.max_length = max_length

    @staticmethod
    def columns(titles: Sequence[str]) -> np.ndarray:
        """(n, 2): what the pipeline reads of each title."""
        return title_columns(titles)

    @abstractmethod
    def probabilities(self, columns: np.ndarray) -> np.ndarray:
        """(n, 2) columns to (n, trained classes); rows sum to 1."""

    def score(self, titles: Sequence[str]) -> Scores:
        """Some titles at a time: memory does not grow with the features."""
        probabilities = np.zeros((len(titles), len(self.labels)), dtype=np.float32)
        for start in range(0, len(titles), self.titles_at_once):
            chunk = slice(start, start + self.titles_at_once)
            columns = self.columns(titles[chunk])
            probabilities[chunk, self.pipeline.classes_] = self.probabilities(columns)
        return Scores.of_whole_titles(probabilities)

    def save_files(self, folder: Path) -> None:
        skops.io.dump(
            self.pipeline, folder / MODEL_FILE, compression=zipfile.ZIP_DEFLATED, compresslevel=6
        )

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        """Raises:
        CorruptArtifact: not a skops file, a type that is not trusted, or not this route's model.
        """
        path = folder / MODEL_FILE
        try:
            pipeline = skops.io.load(path, trusted=cls.trusted_types)
            cls.check(pipeline, labels)
        except Exception as error:  # whatever a crafted file may provoke in skops or scikit-learn
            raise CorruptArtifact(
                f"{path} is not a model of the route '{cls.route}': {error}; train it again"
            ) from error
        return cls(pipeline, labels, max_length)

    @classmethod
    def check(cls, pipeline: Pipeline, labels: Labels) -> None:
        """Raises:
        ValueError: `pipeline` is not made of this route's steps, or has classes without a label.
        """
        if type(pipeline) is not Pipeline:
            raise ValueError(f"it holds a {type(pipeline).__name__}, not a Pipeline")
        steps = tuple(type(step) for _, step in pipeline.steps)
        if steps != cls.steps:
            raise ValueError(f"its steps are {[step.__name__ for step in steps]}")
        classes = np.asarray(pipeline.classes_)
        if classes.min() < 0 or classes.max() >= len(labels):
            raise ValueError(f"its classes {classes.tolist()} do not fit {len(labels)} labels")
