"""`biaoti evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluation.evaluate import evaluate
from models.artifact import load
from models.bounds import Checked
from models.errors import DataError
from models.labels import Labels
from models.outputs import claim_file
from recipes.lessons import read_labelled
from recipes.settings import (
    FileArguments,
    FolderArgument,
    OptionalFile,
    OptionalPath,
    Reading,
    Threads,
    path_of,
)
from scoring.predictions import PREDICTIONS
from scoring.store import ScoreStore
from titles import LabelledTitles, read_titles, read_unlabelled


@dataclass(frozen=True, kw_only=True)
class Evaluate(Checked):
    """Score a file of titles with a model.

    Where the files have labels: accuracy, macro-F1, 95 % intervals, scores by class, confusion
    matrix and calibration. With --predictions every title's scores are written, too.
    """

    model: FolderArgument
    """The model."""
    files: FileArguments
    """Titles to score, as [NEWSROOM=]FILE, one newsroom's each; '-' reads standard input."""
    predictions: OptionalPath = None
    """Write every title's scores, as .csv or .jsonl."""
    train: OptionalFile = None
    """The model's training titles; the score is also given without those that leak."""
    unlabelled: bool = False
    """The file has titles alone, or labels of another taxonomy."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""
    threads: Threads = None
    """Threads that score."""
    force: bool = False
    """Replace whatever stands at --predictions, but never what is read."""
    reading: Reading = Reading()


def evaluate_file(settings: Evaluate) -> dict[str, Any]:
    """The metrics, JSON-able; see `evaluation.evaluate.evaluate`.

    Raises:
        DataError: a row that cannot be used.
    """
    inputs = [settings.model, *map(path_of, filter(None, [*settings.files, settings.train]))]
    inputs += settings.reading.lists
    if settings.predictions is not None:
        claim_file(settings.predictions, inputs, PREDICTIONS, settings.force)
    reading = settings.reading
    with load(settings.model, settings.threads) as model:
        if settings.unlabelled:
            parts = [
                read_unlabelled(each, model.labels) for each in reading.sources(settings.files)
            ]
            data = parts[0] if len(parts) == 1 else LabelledTitles.joined(parts, "titles")
        else:
            data = _read_labelled(settings, model.labels)
        training = read_titles(reading.source(settings.train)) if settings.train else None
        return evaluate(model, data, ScoreStore(settings.cache), settings.predictions, training)


def _read_labelled(settings: Evaluate, labels: Labels) -> LabelledTitles:
    try:
        return read_labelled(settings.reading, settings.files, labels)
    except DataError as error:
        raise DataError(f"{error}; or score the titles alone with --unlabelled") from error
