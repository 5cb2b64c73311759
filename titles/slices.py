"""Files of titles in pieces of whole rows, which several processes can read side by side."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from models.errors import DataError
from models.text_encoding import UTF_8
from titles.byte_lines import ByteLines
from titles.csv_table import csv_cells
from titles.json_lines import json_cells
from titles.record import CelledRow
from titles.source import Source
from titles.text_lines import text_cells


@dataclass(frozen=True)
class Slice:
    """Rows of a file: of Parquet by their numbers, of a text by its bytes.

    Attributes:
        first, rows: the number of the first, from 0, and how many.
        start, stop: bytes of a text in which they stand; of Parquet 0.
        line: of a text, at which the first begins, from 1.
        head: bytes of a text before all rows, such as its header.
    """

    first: int
    rows: int
    start: int = 0
    stop: int = 0
    line: int = 0
    head: int = 0


def cells_of(source: Source, lines: ByteLines) -> Iterator[CelledRow]:
    """The rows of a text with their cells.

    Args:
        source: csv, jsonl or txt.
    """
    if source.format == "jsonl":
        return json_cells(source, lines)
    return csv_cells(source, lines) if source.format == "csv" else text_cells(lines)


def text_slices(source: Source, rows: int) -> Iterator[Slice]:
    """A text in slices of so many rows; it is read through once, in constant memory a slice.

    Raises:
        DataError: it is not in UTF-8, or cannot be read as a whole.
    """
    lines = _Placed(source)
    begun: list[tuple[int, int]] = []  # (number, line) of the first row of each slice
    count = 0
    for count, row in enumerate(cells_of(source, lines), 1):
        if lines.encoding != UTF_8:
            raise DataError(
                f"is in {lines.encoding}; convert it to UTF-8 to have it read in pieces, or score "
                "it with --engine local",
                source.path,
            )
        if (count - 1) % rows == 0:
            begun.append((count - 1, row.record.line))
    ends = [*begun, (count, len(lines.starts) + 1)]
    places = [*lines.starts, lines.end]
    for (first, line), (after, next_line) in pairwise(ends):
        start, stop = places[line - 1], places[next_line - 1]
        yield Slice(first, after - first, start, stop, line, places[begun[0][1] - 1])


class _Placed(ByteLines):
    """Lines of which is known where they begin."""

    def __init__(self, source: Source):
        super().__init__(source)
        self.starts, self.end = array("Q"), 0

    def __iter__(self) -> Iterator[bytes]:
        for line in super().__iter__():
            self.end = self.end or len(self.mark)
            self.starts.append(self.end)
            self.end += len(line)
            yield line
