"""The predictions file: a row a title, as CSV or JSON lines, that says whose scores it holds.

    title,gold,predicted,confidence,model,model_version,data,data_sha256,unknown,finance,realty,…

`gold` is empty (JSON: null) where no single class is known, `confidence` is the score of the class
that is `predicted`, `unknown` is true where that is below the model's threshold or the title cannot
be read, and the classes' own columns follow in the order of the model's labels (JSON: an object
`scores`). Scores are calibrated and written with as few digits as give the same float32 again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.artifact import Manifest
from models.classifier import is_unknown
from models.errors import UsageError
from models.outputs import OutputKind
from models.staging import staged_file
from titles import NO_LABEL, LabelledTitles


@dataclass(frozen=True)
class Origin:
    """Which model's scores of which titles: every row says so."""

    model: str
    model_version: str
    data: str
    data_sha256: str


_ENCODINGS = {".csv": "utf-8-sig", ".jsonl": "utf-8"}
"""Excel reads a CSV without a byte order mark in the code page of its country."""
COLUMNS = ("title", "gold", "predicted", "confidence", *Origin.__dataclass_fields__)
"""Those that every file has, in this order."""
UNKNOWN = "unknown"
"""The column after those, which files of earlier revisions do not have."""


def _no_predictions(path: Path) -> str | None:
    with path.open("rb") as file:
        first = file.readline()
    absent = [name for name in COLUMNS[:4] if name.encode() not in first]
    return f"its first line does not name '{absent[0]}'" if absent else None


PREDICTIONS = OutputKind("a predictions file", _no_predictions)
"""The file that `write_predictions` writes; one of titles is not to be lost to it."""


def write_predictions(
    path: Path, manifest: Manifest, data: LabelledTitles, scores: np.ndarray
) -> None:
    """Write a predictions file; it is whole, or absent.

    Args:
        manifest: of the model that scored the titles.
        scores: (titles, classes) float32, calibrated.
    Raises:
        UsageError: the path ends neither in .csv nor in .jsonl.
    """
    require_suffix(path)
    fingerprint = data.fingerprint
    origin = Origin(manifest.name, manifest.version, fingerprint.name, fingerprint.sha256)
    records = _records(manifest, origin, data, scores)
    with (
        staged_file(path) as neighbour,
        neighbour.open("w", encoding=_ENCODINGS[path.suffix], newline="") as file,
    ):
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            return
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, UNKNOWN, *manifest.labels])
        for record in records:
            by_class = record.pop("scores")
            record[UNKNOWN] = str(record[UNKNOWN]).lower()
            writer.writerow([*record.values(), *by_class.values()])


def require_suffix(path: Path) -> None:
    """Refuse a file in which predictions cannot be written, before they are made.

    Raises:
        UsageError: the path ends neither in .csv nor in .jsonl.
    """
    if path.suffix not in _ENCODINGS:
        raise UsageError(f"{path}: predictions are written as .csv or .jsonl; change the suffix")


def _records(
    manifest: Manifest, origin: Origin, data: LabelledTitles, scores: np.ndarray
) -> Iterator[dict[str, Any]]:
    """The rows, with `COLUMNS`, `UNKNOWN` and then `scores` as keys."""
    labels = manifest.labels
    for title, label_id, row in zip(data.titles, data.label_ids, scores, strict=True):
        best = int(row.argmax())
        by_class = [float(str(score)) for score in row]  # the shortest that is the same float32
        yield {
            "title": title,
            "gold": None if label_id == NO_LABEL else labels[label_id],
            "predicted": labels[best],
            "confidence": by_class[best],
            **asdict(origin),
            UNKNOWN: is_unknown(title, float(row[best]), manifest.threshold),
            "scores": dict(zip(labels, by_class, strict=True)),
        }
