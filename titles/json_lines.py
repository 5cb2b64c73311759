"""The jsonl format: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.errors import DataError
from titles.byte_lines import Seen, broken_encoding, byte_lines
from titles.columns import label_candidates, title_candidates
from titles.record import Edit, Fault, Record, title_record
from titles.source import Source


def read_json(source: Source, labelled: bool, seen: Seen | None = None) -> Iterator[Record]:
    """The lines as records; in each object the first candidate column that it has counts.

    Args:
        seen: as for `byte_lines`.
    Raises:
        DataError: the file is one JSON array.
    """
    for _, _, record in _rows(source, seen):
        yield record


def rewrite_json(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy of the lines that `edit` keeps; a line whose title stays is copied as it is."""
    with target.open("wb") as file:
        for raw, item, record in _rows(source):
            title = edit(record)
            if title is None:
                continue
            if title != record.title:
                item[_column(item, title_candidates(source)) or ""] = title
                raw = json.dumps(item, ensure_ascii=False).encode()
            file.write(raw + b"\n")


def _rows(
    source: Source, seen: Seen | None = None
) -> Iterator[tuple[bytes, dict[str, Any], Record]]:
    titles, labels = title_candidates(source), label_candidates(source)
    for line, raw in enumerate(byte_lines(source, seen), 1):
        raw = raw.rstrip(b"\r\n")
        if line == 1 and raw.lstrip().startswith(b"["):
            raise DataError(
                "the file is one JSON array; write one object a line (jq -c '.[]')", source.path, 1
            )
        item = _parse(raw)
        if isinstance(item, Fault):
            yield raw, {}, Record(line, None, None, item)
        elif (title := _column(item, titles)) is None:
            fault = Fault("missing-title", f"no key {' or '.join(titles)}")
            yield raw, item, Record(line, None, None, fault)
        else:
            label = _column(item, labels)
            yield raw, item, title_record(line, item[title], label and item[label])


def _column(item: dict[str, Any], candidates: tuple[str, ...]) -> str | None:
    for name in candidates:
        if name in item:
            return name
    return None


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
