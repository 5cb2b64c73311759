"""The jsonl format: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from models.errors import DataError
from titles.byte_lines import ByteLines, broken_encoding, write_copy
from titles.columns import date_column, free_names, label_column, title_candidates, title_column
from titles.record import Cell, CelledRow, Edit, Extendable, Fault, Record, title_record
from titles.source import Source


def read_json(source: Source, labelled: bool, lines: ByteLines) -> Iterator[Record]:
    """The lines as records; in each object the first candidate column that it has counts.

    Raises:
        DataError: the file is one JSON document over all its lines.
    """
    for _, _, record in _rows(source, labelled, lines):
        yield record


def rewrite_json(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy of the lines that `edit` keeps; a line whose title stays is copied as it is."""
    lines = ByteLines(source)
    write_copy(target, lines, _edited(source, labelled, lines, edit))


def json_cells(source: Source, lines: ByteLines) -> Iterator[CelledRow]:
    """The lines with the values of their objects; those that are no text stand as JSON."""
    for raw, item, record in _rows(source, False, lines):
        told = {
            key: value if isinstance(value, str) or value is None else _dumped(value).decode()
            for key, value in item.items()
        }
        yield CelledRow(record, told or None, raw.decode(errors="surrogateescape").rstrip("\r\n"))


def extend_json(source: Source, lines: ByteLines, names: Sequence[str]) -> Iterator[Extendable]:
    """The lines, each with what writes its object with further keys.

    A line that holds no object becomes one, whose "line" is what came.
    """
    for raw, item, record in _rows(source, False, lines):
        kept = item or {"line": raw.decode(errors="replace").rstrip("\r\n")}
        yield Extendable(record, partial(_extended, kept, names))


def _extended(item: dict[str, Any], names: Sequence[str], values: Sequence[Cell]) -> bytes:
    return _dumped(item | dict(zip(free_names(names, item), values, strict=True))) + b"\n"


def _edited(source: Source, labelled: bool, lines: ByteLines, edit: Edit) -> Iterator[bytes]:
    for raw, item, record in _rows(source, labelled, lines):
        title = edit(record)
        if title is None:
            continue
        if title != record.title:
            item[title_column(source, list(item)) or ""] = title
            end = raw[len(raw.rstrip(b"\r\n")) :]
            raw = _dumped(item) + end
        yield raw


def _dumped(item: Any) -> bytes:
    try:
        return json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can escape
        return json.dumps(item).encode()


def _rows(
    source: Source, labelled: bool, lines: ByteLines
) -> Iterator[tuple[bytes, dict[str, Any], Record]]:
    begun = False
    for line, raw in enumerate(lines, 1):
        if not begun and (begun := bool(raw.strip())):
            _refuse_document(source, line, raw)
        item = _parse(raw.rstrip(b"\r\n"))
        if isinstance(item, Fault):
            yield raw, {}, Record(line, None, None, item)
            continue
        columns = list(item)
        title, label = title_column(source, columns), label_column(source, columns)
        if title is None:
            fault = Fault("missing-title", f"no key {' or '.join(title_candidates(source))}")
            yield raw, item, Record(line, None, None, fault)
        else:
            value = None if label is None else item[label]
            date = item.get(date_column(columns) or "")
            yield raw, item, title_record(line, item[title], value, labelled, date)


def _refuse_document(source: Source, line: int, raw: bytes) -> None:
    """Refuse a file that is one JSON document, told by the first line that is not blank.

    Raises:
        DataError: says how to write it.
    """
    start = raw.strip()
    if start.startswith(b"["):
        what, how = "one JSON array", "jq -c '.[]'"
    elif start == b"{":
        what, how = "one JSON document over several lines", "jq -c"
    elif isinstance(item := _parse(start), dict) and (key := _key_of_rows(source, item)):
        what, how = f"one JSON object, whose {key!r} holds all rows", f"jq -c '.{key}[]'"
    else:
        return
    raise DataError(
        f"the file is {what}; write one object a line ({how}, or pandas' to_json with "
        "orient='records', lines=True)",
        source.path,
        line,
    )


def _key_of_rows(source: Source, item: dict[str, Any]) -> str | None:
    """Where rows are wrapped: a list of objects, or columns, each of which is a list or object."""
    title = title_column(source, list(item))
    if title is not None:
        return title if isinstance(item[title], list | dict) else None
    held = {key: value for key, value in item.items() if isinstance(value, list) and value}
    return next((key for key, value in held.items() if isinstance(value[0], dict)), None)


def _parse(raw: bytes) -> dict[str, Any] | Fault:
    if not raw.strip():
        return Fault("missing-title", "the line is blank")
    try:
        item = json.loads(raw.decode())
    except UnicodeDecodeError as error:
        return broken_encoding(error)
    except (ValueError, RecursionError) as error:
        return Fault("malformed-record", f"not JSON: {error}")
    if not isinstance(item, dict):
        return Fault("malformed-record", f"a JSON {type(item).__name__}, not an object")
    return item
