"""The rows of a predictions file as they stand in it, CSV or JSON lines alike."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from models.errors import DataError
from scoring.predictions import COLUMNS, UNKNOWN, Origin

REMEDY = "write it with 'biaoti evaluate FOLDER FILE --predictions'"

Record = tuple[int, Mapping[str, Any]]
"""The line at which a row starts, and its values: `COLUMNS`, and `scores` by class."""


def read_records(path: Path, file: TextIO) -> Iterator[Record]:
    """The rows of an open file, whose name says which of the two formats it has.

    Raises:
        DataError: a row lacks a column, or is none.
        csv.Error: the quotes of a CSV file do not match.
    """
    return (_json_records if path.suffix == ".jsonl" else _csv_records)(path, file)


def _csv_records(path: Path, file: TextIO) -> Iterator[Record]:
    rows = csv.reader(file, strict=True)
    header = next(rows, [])
    first = len(COLUMNS)
    _require_columns(path, 1, header[:first])
    first += header[first : first + 1] == [UNKNOWN]
    line = rows.line_num + 1
    for row in rows:
        if len(row) != len(header):
            raise DataError(f"{len(row)} columns, not {len(header)}; {REMEDY}", path, line)
        cells = list(zip(header, row, strict=True))
        yield line, {**dict(cells[:first]), "scores": dict(cells[first:])}
        line = rows.line_num + 1


def _json_records(path: Path, file: TextIO) -> Iterator[Record]:
    for line, text in enumerate(file, start=1):
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            raise DataError(f"not JSON ({error}); {REMEDY}", path, line) from error
        if not isinstance(record, dict) or not isinstance(record.get("scores"), dict):
            raise DataError(f"no object with 'scores'; {REMEDY}", path, line)
        _require_columns(path, line, record.keys())
        if not isinstance(record["title"], str) or not isinstance(record["gold"], str | None):
            raise DataError(f"title or gold is not text; {REMEDY}", path, line)
        yield line, record


def _require_columns(path: Path, line: int, names: Collection[str]) -> None:
    missing = [name for name in COLUMNS if name not in names]
    if not missing:
        return
    if set(missing) <= set(Origin.__dataclass_fields__):
        raise DataError(
            f"no {', '.join(missing)}: files of earlier revisions say neither which version of a "
            "model gave the scores nor of which data; write it again with 'biaoti evaluate FOLDER "
            "FILE --predictions'",
            path,
            line,
        )
    raise DataError(f"not a predictions file: no {', '.join(missing)}; {REMEDY}", path, line)
