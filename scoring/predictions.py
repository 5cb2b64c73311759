"""The predictions file: a row a title, as CSV or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import DataError, UsageError
from models.labels import Labels
from models.staging import staged_file
from titles import NO_LABEL

Write = Callable[[Sequence[str], np.ndarray | None, np.ndarray], None]
"""Told titles, (n,) label ids where they have any, and (n, classes) scores."""


@contextmanager
def open_predictions(path: Path, labels: Labels) -> Iterator[Write]:
    """A function that appends titles with their scores; the file is whole at the end, or absent.

    Columns: title, gold (empty where unknown), predicted, confidence, and every class's score.
    """
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"{path}: predictions are written as .csv or .jsonl; change the suffix")
    with (
        staged_file(path) as neighbour,
        neighbour.open("w", encoding="utf-8", newline="") as file,
    ):
        if path.suffix == ".jsonl":
            yield lambda titles, gold, scores: file.writelines(
                json.dumps(record, ensure_ascii=False) + "\n"
                for record in _records(labels, titles, gold, scores)
            )
        else:
            writer = csv.writer(file)
            writer.writerow(["title", "gold", "predicted", "confidence", *labels.names])
            yield lambda titles, gold, scores: writer.writerows(
                [*list(record.values())[:4], *record["scores"].values()]
                for record in _records(labels, titles, gold, scores)
            )


def read_predictions(path: Path, labels: Labels) -> dict[str, np.ndarray]:
    """The scores of a predictions file: (classes,) float32 by title, in the labels' order.

    Six decimals are written, so what was written as 0 is read as half of the last of them.

    Raises:
        DataError: the file is no such table, lacks a class, or holds a row that cannot be used.
    """
    found: dict[str, np.ndarray] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, (title, scores) in enumerate(_scores(path, file), start=1):
                try:
                    row = np.array([float(scores[name]) for name in labels.names], np.float32)
                    found[title] = np.maximum(row, 5e-7)
                except KeyError as error:
                    raise DataError(
                        f"no score for the class {error}; score with a model of the same classes",
                        path,
                    ) from error
                except (TypeError, ValueError) as error:
                    raise DataError(
                        f"prediction {line} has no number for every class", path
                    ) from error
    except (OSError, UnicodeDecodeError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise DataError(
            f"not a predictions file ({error!r}); write one with 'biaoti evaluate --predictions'",
            path,
        ) from error
    return found


def _scores(path: Path, file: Iterable[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Title and scores by class of each row."""
    if path.suffix == ".jsonl":
        for text in file:
            record = json.loads(text)
            yield record["title"], record["scores"]
    else:
        for row in csv.DictReader(file):
            yield row["title"], row


def _records(
    labels: Labels, titles: Sequence[str], gold: np.ndarray | None, scores: np.ndarray
) -> Iterator[dict[str, Any]]:
    if gold is None:
        gold = np.full(len(titles), NO_LABEL)
    for title, label_id, row_scores in zip(titles, gold, scores, strict=True):
        best = int(row_scores.argmax())
        yield {
            "title": title,
            "gold": None if label_id == NO_LABEL else labels.names[label_id],
            "predicted": labels.names[best],
            "confidence": round(float(row_scores[best]), 6),
            "scores": {
                name: round(float(score), 6)
                for name, score in zip(labels.names, row_scores, strict=True)
            },
        }
