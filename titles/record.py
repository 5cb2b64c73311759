"""What every format is read into: a record, and what can be wrong with it before it is a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Fault(NamedTuple):
    """Why a record cannot be used: a code of `findings.CODES`, and what came."""

    code: str
    detail: str


class Record(NamedTuple):
    """One record as it stands in the file: nothing is known yet about its label.

    `line` counts from 1: the physical line at which the record starts, or the number of the row in
    a format without lines.
    """

    line: int
    title: str | None
    label: str | None
    fault: Fault | None = None


Edit = Callable[[Record], str | None]
"""What a cleaned copy does with a record: the title to write, or None to drop the record."""


def title_record(line: int, title: object, label: object) -> Record:
    """A record from the values of a typed format (JSON, Parquet): the title must be text."""
    if isinstance(title, str):
        return Record(line, title, label_text(label))
    what = "no title (null)" if title is None else f"the title is not text ({type(title).__name__})"
    return Record(line, None, None, Fault("missing-title", what))


def label_text(value: object) -> str | None:
    """A label as text: 3, 3.0 and "3 " are "3"; None where there is none."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None
