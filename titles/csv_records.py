"""Records of CSV out of physical lines: quoted cells may hold line breaks, stray quotes may not.

By the rules of CSV, a quote that somebody forgot takes in all rows up to the next one. Lines that
look like rows are rows here: such a quote is the fault of its own line alone.
Source: RFC 4180.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from titles.record import Fault

MOST_LABEL_CHARACTERS = 20
"""What stands in the place of a longer label is part of a sentence."""


class CsvRecord(NamedTuple):
    """The cells of a record, or why it has none; `raw` is its lines, from `line` to `end`."""

    line: int
    end: int
    raw: str
    cells: list[str]
    fault: Fault | None = None


class RowShape(NamedTuple):
    """How a line looks that is a row: its cells, and which of them is the label."""

    cells: int
    label: int | None


def csv_records(
    lines: Iterator[str], delimiter: str, first_line: int, shape: RowShape | None = None
) -> Iterator[CsvRecord]:
    """The records from `first_line` on.

    Args:
        shape: of the table's rows, by which a stray quote is told; None where it is not known.
    """
    feed = _Feed(lines)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    labels: set[str] = set()
    line = first_line
    while True:
        feed.taken.clear()
        cells, fault = [], None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fault = Fault("malformed-record", f"CSV: {error}")
        taken = len(feed.taken)
        if taken > 1 and shape and _takes_in_rows(feed.taken, cells, delimiter, shape, labels):
            what = f"the quote that opens here takes in {taken} lines that look like rows"
            cells, fault = [], Fault("malformed-record", f"CSV: {what}")
            feed.give_back()
        elif taken > 1 and fault is not None:
            fault = fault._replace(detail=f"{fault.detail}; the quote takes in {taken} lines")
        if shape and shape.label is not None and shape.label < len(cells):
            labels.add(cells[shape.label].strip())
        end = line + len(feed.taken)
        yield CsvRecord(line, end - 1, "".join(feed.taken), cells, fault)
        line = end


class _Feed(Iterator[str]):
    """Lines that can be given back."""

    def __init__(self, lines: Iterator[str]):
        self._lines = lines
        self._waiting: deque[str] = deque()
        self.taken: list[str] = []

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else next(self._lines)
        self.taken.append(line)
        return line

    def give_back(self) -> None:
        """All but the first of the lines taken are to come again."""
        self._waiting.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def _takes_in_rows(
    lines: list[str], cells: list[str], delimiter: str, shape: RowShape, labels: set[str]
) -> bool:
    """Whether a record of several lines is really several rows, of which one has a stray quote.

    Args:
        cells: of the record; empty where its quote is never closed.
        labels: seen in the rows before.
    """
    if shape.cells == 1 or shape.label is None:
        return False
    within = lines[1:-1] if cells else lines[1:]
    if within:
        rows = sum(_label_of(line, delimiter, shape) is not None for line in within)
        return 2 * rows > len(within)
    own = cells[shape.label].strip() if shape.label < len(cells) else None
    first = _label_of(lines[0], delimiter, shape)
    return first is not None and (first == own or first in labels)


def _label_of(line: str, delimiter: str, shape: RowShape) -> str | None:
    """The label of a line that looks like a row, read without regard to quotes; else None."""
    cells = line.rstrip("\r\n").split(delimiter)
    if len(cells) != shape.cells:
        return None
    label = cells[shape.label or 0].strip().strip('"')
    return label if 0 < len(label) <= MOST_LABEL_CHARACTERS else None
