"""The csv format: a header, then records whose quoted cells may hold line breaks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from models.errors import DataError
from titles.byte_lines import ByteLines, broken_encoding, write_copy
from titles.columns import date_place, free_names, label_place, title_place
from titles.csv_records import CsvRecord, RowShape, csv_records
from titles.dates import date_text
from titles.label_text import label_name
from titles.record import Cell, CelledRow, Edit, Extendable, Fault, Record, cell_text
from titles.source import Source

DELIMITERS = ",\t;"
_EXCEL_SEPARATOR = re.compile(r'"?sep=(.)"?[,;\t]*\s*', re.IGNORECASE)
"""A line before the header, in which Excel is told the delimiter."""


@dataclass(frozen=True)
class _Table:
    columns: int
    delimiter: str
    title: int
    label: int | None
    date: int | None


def read_csv(source: Source, labelled: bool, lines: ByteLines) -> Iterator[Record]:
    """The records after the header; `line` is the physical line at which a record starts.

    Raises:
        DataError: a column is not in the header.
    """
    for _, _, record in _rows(source, labelled, lines):
        if record is not None:
            yield record


def rewrite_csv(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy, in UTF-8, of the records that `edit` keeps; all but an edited title stays."""
    lines = ByteLines(source)
    write_copy(target, lines, _edited(source, labelled, lines, edit))


def csv_cells(source: Source, lines: ByteLines) -> Iterator[CelledRow]:
    """The rows with their cells by the names of the columns, made different where they are not."""
    names: list[str] = []
    for table, row, record in _rows(source, False, lines):
        if table is not None and record is None:
            for place, name in enumerate(row.cells[: table.columns], 1):
                names += free_names([name.strip() or f"column_{place}"], names)
        elif table is not None and record is not None:
            cells = _without_empty_end(row.cells, table.columns)
            told: dict[str, str | None] | None = None
            if row.fault is None and len(cells) == table.columns:
                told = dict(zip(names, cells, strict=True))
            yield CelledRow(record, told, row.raw.rstrip("\r\n"))


def extend_csv(source: Source, lines: ByteLines) -> Iterator[Extendable]:
    """The lines of a table, each with what writes it with further cells behind its columns.

    A row that has too few cells, or too many, or none that can be told, keeps them, and the
    further cells stand below their names all the same.
    """
    end = "\n"
    for table, row, record in _rows(source, False, lines):
        if table is None:  # where Excel is told the delimiter
            yield Extendable(None, partial(_as_it_is, row.raw))
            continue
        if record is None:
            end = row.raw[len(row.raw.rstrip("\r\n")) :] or end
        yield Extendable(record, partial(_extended, row, table, end, is_header=record is None))


def _as_it_is(raw: str, values: Sequence[Cell]) -> bytes:
    return raw.encode(errors="surrogateescape")


def _extended(
    row: CsvRecord, table: _Table, end: str, values: Sequence[Cell], is_header: bool
) -> bytes:
    added = [cell_text(value) for value in values]
    if is_header:
        added = free_names(added, (cell.strip() for cell in row.cells))
    if row.fault is None and len(row.cells) == table.columns:
        start, cells = row.raw.rstrip("\r\n") + table.delimiter, added
    else:
        cells = row.cells if row.fault is None else [row.raw.rstrip("\r\n")]
        inside = cells[: table.columns] + [""] * (table.columns - len(cells))
        start, cells = "", [*inside, *added, *cells[table.columns :]]
    text = io.StringIO()
    csv.writer(text, delimiter=table.delimiter, lineterminator=end).writerow(cells)
    return (start + text.getvalue()).encode(errors="surrogateescape")


def _edited(source: Source, labelled: bool, lines: ByteLines, edit: Edit) -> Iterator[bytes]:
    for table, row, record in _rows(source, labelled, lines):
        raw = row.raw
        if record is not None:
            title = edit(record)
            if title is None:
                continue
            if title != record.title:
                raw = _written(row, table, title)
        yield raw.encode(errors="surrogateescape")


def _rows(
    source: Source, labelled: bool, lines: ByteLines
) -> Iterator[tuple[_Table | None, CsvRecord, Record | None]]:
    """What stands before the rows, with None for its record, then each record with its cells."""
    # A broken byte becomes a lone surrogate here, so that csv goes on and its row can be named.
    texts = (raw.decode(errors="surrogateescape") for raw in lines)
    line, first = 1, next(texts, None)
    told = _EXCEL_SEPARATOR.fullmatch(first or "")
    if told:
        yield None, CsvRecord(line, line, first or "", []), None
        line, first = 2, next(texts, None)
    if first is None:
        return
    delimiter = told[1] if told else max(DELIMITERS, key=first.count)
    header = next(csv_records(chain([first], texts), delimiter, line))
    table = _table(source, header, delimiter, labelled)
    yield table, header, None
    shape = RowShape(table.columns, table.label)
    for row in csv_records(texts, delimiter, header.end + 1, shape):
        yield table, row, _record(row, table)


def _table(source: Source, header: CsvRecord, delimiter: str, labelled: bool) -> _Table:
    if header.fault is not None:
        raise DataError(f"{header.fault.detail}; the header cannot be read", source.path, 1)
    names = [name.strip() for name in _without_empty_end(header.cells, 0)]
    label = label_place(source, names, labelled)
    title, date = title_place(source, names), date_place(names)
    return _Table(len(names), delimiter, title, label, date)


def _record(row: CsvRecord, table: _Table) -> Record:
    line, fault = row.line, row.fault
    cells = _without_empty_end(row.cells, table.columns)
    if fault is None and not any(row.cells):
        fault = Fault("missing-title", "the line is blank")
    if fault is None and len(cells) != table.columns:
        what = f"columns: {len(cells)}, expected {table.columns} as in the header"
        quotes = " (a cell that holds the delimiter needs quotes)"
        fault = Fault("column-count", what + quotes * (len(cells) > table.columns))
    fault = fault or _broken(row.raw)
    if fault is not None:
        return Record(line, None, None, fault)
    label = None if table.label is None else label_name(cells[table.label])
    date = None if table.date is None else date_text(cells[table.date])
    return Record(line, cells[table.title], label, date=date)


def _without_empty_end(cells: list[str], least: int) -> list[str]:
    """The cells without the empty ones that spreadsheets write behind the last column."""
    end = len(cells)
    while end > least and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _broken(raw: str) -> Fault | None:
    if raw.isascii():
        return None
    try:
        raw.encode(errors="surrogateescape").decode()
    except UnicodeDecodeError as error:
        return broken_encoding(error)
    return None


def _written(row: CsvRecord, table: _Table | None, title: str) -> str:
    """The record with another title, its line end as it was."""
    assert table is not None
    row.cells[table.title] = title
    text = io.StringIO()
    end = row.raw[len(row.raw.rstrip("\r\n")) :]
    csv.writer(text, delimiter=table.delimiter, lineterminator=end).writerow(row.cells)
    return text.getvalue()
