"""Copies of files with columns added to every row, which else stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from titles.byte_lines import ByteLines
from titles.csv_table import extend_csv
from titles.json_lines import extend_json
from titles.record import Extendable
from titles.source import Source
from titles.text_lines import extend_text


def extend(source: Source, lines: ByteLines, names: Sequence[str]) -> Iterator[Extendable]:
    """The lines of a file, in constant memory, each with what writes it with further columns.

    Args:
        source: csv, jsonl or txt; its titles need no labels.
        names: of the columns; no key of an object in JSON lines should be called so.
    Raises:
        DataError: the file as a whole cannot be read.
    """
    if source.format == "jsonl":
        return extend_json(source, lines, names)
    return extend_csv(source, lines) if source.format == "csv" else extend_text(lines)
