"""The csv format: a header, then records whose quoted cells may hold line breaks."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from titles.byte_lines import Seen, broken_encoding, byte_lines
from titles.columns import label_place, title_place
from titles.record import Edit, Fault, Record
from titles.source import Source


@dataclass(frozen=True)
class _Table:
    header: list[str]
    delimiter: str
    title: int
    label: int | None


def read_csv(source: Source, labelled: bool, seen: Seen | None = None) -> Iterator[Record]:
    """The records after the header; `line` is the physical line at which a record starts.

    Args:
        seen: as for `byte_lines`.
    Raises:
        DataError: a column is not in the header.
    """
    for _, _, record in _rows(source, labelled, seen):
        if record is not None:
            yield record


def rewrite_csv(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy of the records that `edit` keeps, with all their columns, as UTF-8."""
    with target.open("w", encoding="utf-8", newline="") as file:
        for table, cells, record in _rows(source, labelled):
            writer = csv.writer(file, delimiter=table.delimiter, lineterminator="\n")
            if record is None:
                writer.writerow(cells)
            elif (title := edit(record)) is not None:
                cells[table.title] = title
                writer.writerow(cells)


def _rows(
    source: Source, labelled: bool, seen: Seen | None = None
) -> Iterator[tuple[_Table, list[str], Record | None]]:
    """The header, with None for its record, then each record with its cells."""
    # A broken byte becomes a lone surrogate here, so that csv goes on and its row can be named.
    lines = (raw.decode(errors="surrogateescape") for raw in byte_lines(source, seen))
    first = next(lines, None)
    if first is None:
        return
    delimiter = max(",\t;", key=first.count)
    header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    label = label_place(source, header, labelled)
    table = _Table(header, delimiter, title_place(source, header), label)
    yield table, header, None
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 2  # the header is line 1, and the next record starts after
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield table, [], Record(line, None, None, Fault("malformed-record", f"CSV: {error}"))
        else:
            yield table, cells, _record(line, cells, table)


def _record(line: int, cells: list[str], table: _Table) -> Record:
    if not cells:
        return Record(line, None, None, Fault("missing-title", "the line is blank"))
    if len(cells) != len(table.header):
        detail = f"columns: {len(cells)}, expected {len(table.header)} as in the header"
        return Record(line, None, None, Fault("column-count", detail))
    row = table.delimiter.join(cells)
    try:
        row.encode()
    except UnicodeEncodeError:
        return Record(line, None, None, _broken_encoding(row))
    label = None if table.label is None else cells[table.label].strip() or None
    return Record(line, cells[table.title], label)


def _broken_encoding(row: str) -> Fault:
    try:
        row.encode(errors="surrogateescape").decode()
    except UnicodeDecodeError as error:
        return broken_encoding(error)
    raise AssertionError("only broken bytes become surrogates")
