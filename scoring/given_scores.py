"""Scores given as predictions files: read, merged, and refused where they contradict."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import DataError
from models.labels import Labels
from models.manifest import Ingredient
from models.text_encoding import decode
from scoring.prediction_records import REMEDY, Record, read_records
from scoring.predictions import Origin
from titles import NO_LABEL

TOLERANCE = 1e-4
"""How far a row's sum may be from 1, and two scores of one title by one model from each other."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """One predictions file; `origin` is that of its every row.

    Attributes:
        sha256: of the file's bytes.
        label_ids: (n,) int64, `NO_LABEL` where none is known.
        scores: (n, classes) float32, calibrated, in the order of `labels`.
        lines: where each row starts, counted from 1.
    """

    path: Path
    sha256: str
    origin: Origin
    labels: Labels
    titles: Sequence[str]
    label_ids: np.ndarray
    scores: np.ndarray
    lines: Sequence[int]

    @property
    def ingredient(self) -> Ingredient:
        """What the manifest of a model that learns from it says of the file."""
        return Ingredient("scores", "scores", self.path.name, self.sha256)


def read_predictions(path: Path, labels: Labels) -> Predictions:
    """Read a file that `write_predictions` wrote, its classes in whichever order.

    Raises:
        DataError: it is no such file, was written before files named their model and data, is of
            other classes or of several models, or holds a row whose scores are no probabilities,
            or a title that it scores differently elsewhere.
    """
    try:
        content = path.read_bytes()
        text = io.StringIO(decode(content), newline="")
        records = list(read_records(path, text))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"not a predictions file ({error}); {REMEDY}", path) from error
    if not records:
        raise DataError(f"no predictions; {REMEDY}", path)
    found = Predictions(
        path,
        sha256(content).hexdigest(),
        _one_origin(path, records),
        labels,
        [record["title"] for _, record in records],
        np.array([_label_id(path, *each, labels) for each in records], np.int64),
        np.array([_scores(path, *each, labels) for each in records], np.float32),
        [line for line, _ in records],
    )
    _refuse_invalid(found)
    _refuse_contradictions(found)
    return found


def merge_predictions(
    files: Sequence[Predictions], titles: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """What the files say of `titles`.

    Args:
        files: at least one.
    Returns:
        (scores, given): (n, classes) float32, undefined where `given`, (n,) bool, is False.
    Raises:
        DataError: two files score one of the titles by different models, or otherwise; or a file
            has none of the titles.
    """
    wanted = set(titles)
    place: dict[str, tuple[Predictions, int]] = {}
    for file in files:
        rows = [i for i, title in enumerate(file.titles) if title in wanted]
        if not rows:
            raise DataError(
                f"none of its {len(file.titles):,} titles is among those to learn from, such as "
                f"{file.titles[0]!r} here; pass the scores of those titles",
                file.path,
                file.lines[0],
            )
        for i in rows:
            _refuse_disagreement(place.setdefault(file.titles[i], (file, i)), (file, i))
    scores = np.empty((len(titles), files[0].scores.shape[1]), np.float32)
    given = np.array([title in place for title in titles], bool)
    for i in np.flatnonzero(given).tolist():
        file, row = place[titles[i]]
        scores[i] = file.scores[row]
    return scores, given


def _one_origin(path: Path, records: Sequence[Record]) -> Origin:
    names = [field.name for field in fields(Origin)]
    _, first = records[0]
    for line, record in records:
        if not all(isinstance(record[name], str) and record[name] for name in names):
            raise DataError(f"no model's version or data's SHA-256; {REMEDY}", path, line)
        if any(record[name] != first[name] for name in names):
            raise DataError(
                f"scores of {record['model']} {record['model_version']} for {record['data']} after "
                f"those of {first['model']} {first['model_version']} for {first['data']}; keep the "
                "files of two models or data sets apart",
                path,
                line,
            )
    return Origin(**{name: first[name] for name in names})


def _label_id(path: Path, line: int, record: Mapping[str, Any], labels: Labels) -> int:
    gold = record["gold"]
    if gold and gold not in labels.ids:
        raise DataError(f"gold label {gold!r} is not one of {', '.join(labels.names)}", path, line)
    return labels.ids[gold] if gold else NO_LABEL


def _scores(path: Path, line: int, record: Mapping[str, Any], labels: Labels) -> list[float]:
    """The row's scores, in the labels' order."""
    scores = record["scores"]
    if set(scores) != set(labels.names):
        raise DataError(
            f"scores for {', '.join(scores)}, but the model's classes are "
            f"{', '.join(labels.names)}; score with a model of the same classes",
            path,
            line,
        )
    try:
        return [float(scores[name]) for name in labels.names]
    except (TypeError, ValueError) as error:
        raise DataError(f"a score is no number ({error}); {REMEDY}", path, line) from error


def _refuse_invalid(found: Predictions) -> None:
    scores = found.scores
    with np.errstate(invalid="ignore"):
        inside = ((scores >= 0) & (scores <= 1)).all(axis=1)  # False for NaN, too
        valid = inside & (np.abs(scores.sum(axis=1) - 1) <= TOLERANCE)
    if not valid.all():
        worst = int(np.flatnonzero(~valid)[0])
        raise DataError(
            f"scores must lie from 0 to 1 and sum to 1, not {scores[worst].tolist()}; {REMEDY}",
            found.path,
            found.lines[worst],
        )


def _refuse_contradictions(found: Predictions) -> None:
    first: dict[str, int] = {}
    for i, title in enumerate(found.titles):
        _refuse_disagreement((found, first.setdefault(title, i)), (found, i))


def _refuse_disagreement(one: tuple[Predictions, int], other: tuple[Predictions, int]) -> None:
    (first, i), (second, j) = one, other
    mine, theirs = first.origin, second.origin
    same_model = mine.model_version == theirs.model_version
    if same_model and np.abs(first.scores[i] - second.scores[j]).max() <= TOLERANCE:
        return
    raise DataError(
        f"{second.titles[j]!r} is scored by {theirs.model} {theirs.model_version} here, and "
        f"otherwise by {mine.model} {mine.model_version} in {first.path}:{first.lines[i]}; "
        "leave one of them out",
        second.path,
        second.lines[j],
    )
