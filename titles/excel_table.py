"""The excel format: the first sheet of a workbook, whose first row names the columns.

Cells are read as they were last calculated; of those above one another that are joined, the first
has the value. A workbook is held in memory as a whole, which Excel's 1,048,576 rows allow.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from models.errors import DataError, MissingDependency
from titles.columns import date_place, free_names, label_place, title_place
from titles.record import Answer, Edit, Record, title_record
from titles.source import Source

_BROKEN = (OSError, KeyError, ValueError, BadZipFile)
"""What openpyxl raises at a file that is no workbook."""


def read_excel(source: Source, labelled: bool) -> Iterator[Record]:
    """The rows below the first as records; `line` is the number of the row, from 1.

    Blank rows at the end, which spreadsheets keep, are none.

    Raises:
        DataError: the file is no workbook, or a column is not in it.
        MissingDependency: openpyxl is not installed.
    """
    rows = _rows(source)
    return _records(source, rows, labelled)


def rewrite_excel(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a workbook of the values of the rows that `edit` keeps; without looks and formulas."""
    rows = _rows(source)
    place = title_place(source, _names(rows))
    copy = _library().Workbook(write_only=True)
    sheet = copy.create_sheet()
    sheet.append(rows[0])
    for record in _records(source, rows, labelled):
        title = edit(record)
        if title is not None:
            cells = list(rows[record.line - 1])
            cells[place] = title if title != record.title else cells[place]
            sheet.append(cells)
    copy.save(target)


def extend_excel(source: Source, target: Path, columns: Mapping[str, type], say: Answer) -> None:
    """Write a copy of the workbook, its other sheets and its looks included, with further columns.

    They stand behind all that its first sheet has. Charts are lost, which openpyxl does not read.
    """
    rows = _rows(source)
    records = list(_records(source, rows, labelled=False))
    places = {i + 1: name for i, name in enumerate(free_names(list(columns), _names(rows)))}
    width = max(map(len, rows))
    with closing(_open(source, keep_vba=Path(source.path).suffix.lower() == ".xlsm")) as book:
        sheet = book.worksheets[0]
        for place, name in places.items():
            sheet.cell(1, width + place, name)
        for record, answer in zip(records, say(records), strict=True):
            for place, value in enumerate(answer, 1):
                cell = sheet.cell(record.line, width + place)
                cell.value = _allowed(value) if isinstance(value, str) else value
                if isinstance(value, str):
                    cell.data_type = "s"  # else "=…" would be a formula
        book.save(target)


def _records(source: Source, rows: list[tuple[Any, ...]], labelled: bool) -> Iterator[Record]:
    names = _names(rows)
    title, label = title_place(source, names), label_place(source, names, labelled)
    dated = date_place(names)
    for number, cells in enumerate(rows[1:], 2):
        day = None if dated is None else cells[dated]
        given = None if label is None else cells[label]
        yield title_record(number, _text(cells[title]), given, labelled, day)


def _names(rows: list[tuple[Any, ...]]) -> list[str]:
    """Of the columns; a cell without a name is none."""
    return ["" if cell is None else str(cell).strip() for cell in rows[0]] if rows else []


def _text(value: object) -> object:
    """A title that Excel took for a number or a day, as text."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float | date) and not isinstance(value, bool):
        return str(value)
    return value


def _rows(source: Source) -> list[tuple[Any, ...]]:
    """All rows of the first sheet, as wide as the widest, to the last that is not blank."""
    with closing(_open(source, read_only=True, data_only=True)) as book:
        try:
            rows = [tuple(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        except _BROKEN as error:
            raise _unreadable(source, error) from error
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    width = max(map(len, rows), default=0)
    while width and all(len(row) < width or row[width - 1] is None for row in rows):
        width -= 1
    return [(*row, *[None] * (width - len(row)))[:width] for row in rows]


def _open(source: Source, **how: bool) -> Any:
    library, path = _library(), Path(source.path)
    try:  # from memory, since it refuses a name with another suffix
        return library.load_workbook(io.BytesIO(path.read_bytes()), **how)
    except _BROKEN as error:
        raise _unreadable(source, error) from error


def _unreadable(source: Source, error: Exception) -> DataError:
    return DataError(f"cannot be read as an Excel workbook: {error}; save it as .xlsx", source.path)


def _library() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingDependency("openpyxl", "tables") from error
    return openpyxl


def _allowed(text: str) -> str:
    """Without what a workbook cannot hold."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    return str(ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", text))
