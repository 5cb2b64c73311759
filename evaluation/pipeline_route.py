"""`transformers.pipeline` over an encoder's folder: the reference that ours is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from models.artifact import Manifest, Route, verify
from models.classifier import Scores
from models.errors import ArtifactError, MissingDependency
from models.labels import Labels
from models.machine import available_threads

try:
    import torch
    from transformers import pipeline
except ImportError as error:
    raise MissingDependency(error.name or "transformers", "train") from error

BATCH_SIZE = 64
"""Titles in a batch; the pipeline's own default, 1, would make it slower than it need be."""


class PipelineClassifier(Route):
    """Scores titles with `transformers.pipeline("text-classification")`.

    Args:
        classify: the pipeline, whose labels are those of `labels`.
        max_length: tokens of a title that are read, specials included; None reads them all.
    """

    route: ClassVar[str] = "transformers.pipeline"
    probe_tolerance: float = 1e-3

    def __init__(self, classify: Any, labels: Labels, max_length: int | None):
        self.classify = classify
        self.labels = labels
        self.max_length = max_length

    def score(self, titles: Sequence[str]) -> Scores:
        """The pipeline does not say which titles it cut, so their tokens are counted once more."""
        return Scores(self.predict_proba(titles), self._truncated(titles))

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        """Probabilities, (titles, classes) float32, in the titles' order."""
        probabilities = np.zeros((len(titles), len(self.labels)), dtype=np.float32)
        if not titles:
            return probabilities
        answers = self.classify(
            list(titles),
            top_k=None,
            function_to_apply="softmax",
            truncation=self.max_length is not None,
            max_length=self.max_length,
            batch_size=BATCH_SIZE,
        )
        for row, answer in zip(probabilities, answers, strict=True):
            for each in answer:
                row[self.labels.ids[each["label"]]] = each["score"]
        return probabilities

    def set_threads(self, threads: int) -> None:
        """Of the whole process: torch has one pool for all models."""
        torch.set_num_threads(threads)

    def save_files(self, folder: Path) -> None:
        self.classify.save_pretrained(folder)

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        classify = pipeline("text-classification", model=str(folder), trust_remote_code=False)
        return cls(classify, labels, max_length)

    def _truncated(self, titles: Sequence[str]) -> np.ndarray:
        if self.max_length is None or not titles:
            return np.zeros(len(titles), dtype=bool)
        rows = self.classify.tokenizer(list(titles), verbose=False)["input_ids"]
        return np.array([len(row) > self.max_length for row in rows])


def open_pipeline(folder: Path) -> PipelineClassifier:
    """The model of an encoder's folder, run by the pipeline; not calibrated.

    Raises:
        ArtifactError: the folder is not an encoder's.
        CorruptArtifact: a file is missing, changed or not listed.
    """
    manifest = Manifest.read(folder)
    if manifest.route != "encoder":
        raise ArtifactError(
            f"{folder} is of the route '{manifest.route}', which transformers.pipeline cannot "
            "open; pass an encoder's folder after 'pipeline:'"
        )
    verify(folder, manifest)
    labels = Labels(manifest.labels, manifest.display_names)
    model = PipelineClassifier.load_files(folder, labels, manifest.max_length)
    model.set_threads(available_threads())
    return model
