"""What every format is read into: a record, and what can be wrong with it before it is a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from titles.dates import date_text
from titles.label_text import label_name


class Fault(NamedTuple):
    """Why a record cannot be used: a code of `findings.CODES`, and what came."""

    code: str
    detail: str


class Record(NamedTuple):
    """One record as it stands in the file: nothing is known yet about its label.

    `line` counts from 1: the physical line at which the record starts, or the number of the row in
    a format without lines. `date` is a day or a month, as `titles.dates.date_text` writes it.
    """

    line: int
    title: str | None
    label: str | None
    fault: Fault | None = None
    date: str | None = None


Edit = Callable[[Record], str | None]
"""What a cleaned copy does with a record: the title to write, or None to drop the record."""


Cell = str | float | bool | None


class Extendable(NamedTuple):
    """A line of a table, or several that belong together, to be copied with further columns.

    `record` is None for what stands before the rows, such as the header, which is extended by the
    columns' names. `extended` gives the line in UTF-8, with its end, from the further cells.
    """

    record: Record | None
    extended: Callable[[Sequence[Cell]], bytes]


class CelledRow(NamedTuple):
    """A row of a text with all its cells.

    `cells` are by column, None where they cannot be told apart; `raw` is the row as it stands, with
    lone surrogates for bytes that are not UTF-8.
    """

    record: Record
    cells: dict[str, str | None] | None
    raw: str


Answer = Callable[[Sequence[Record]], Sequence[Sequence[Cell]]]
"""What is said of records, in their order: the further cells of each."""


def cell_text(value: Cell) -> str:
    """A value as a text has it; nothing is empty."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def title_record(
    line: int, title: object, label: object, labelled: bool, date: object = None
) -> Record:
    """A record from the values of a typed format (JSON, Parquet): the title must be text.

    Args:
        labelled: whether a label that is none is a fault.
    """
    if not isinstance(title, str):
        what = f"the title is not text ({type(title).__name__})"
        what = "no title (null)" if title is None else what
        return Record(line, None, None, Fault("missing-title", what))
    try:
        return Record(line, title, label_text(label), date=date_text(date))
    except TypeError as error:
        fault = Fault("unknown-label", str(error)) if labelled else None
        return Record(line, title, None, fault, date_text(date))


def label_text(value: object) -> str | None:
    """A label as text: 3, 3.0, "3 " and a list of one of these are "3"; None where there is none.

    Raises:
        TypeError: a value that is neither a name nor an id.
    """
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if value is None or value != value:  # NaN, which data frames hold where nothing is
        return None
    if isinstance(value, str):
        return label_name(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    kind = f"{type(value).__name__}" + (f" of {len(value)}" if isinstance(value, list) else "")
    raise TypeError(f"the label is neither a name nor an id ({kind}: {str(value)[:40]})")
