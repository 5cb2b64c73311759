"""Copies of files with columns added to every row, which else stay as they are."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from models.errors import UsageError
from models.text_encoding import UTF_8
from titles.byte_lines import ByteLines
from titles.csv_table import extend_csv
from titles.excel_table import extend_excel
from titles.json_lines import extend_json
from titles.parquet_table import extend_parquet, parquet_rows
from titles.record import Answer, Extendable
from titles.source import Source
from titles.text_lines import extend_text

_BLOCK = 4096
"""Rows that are answered together."""


def extended_copy(source: Source, target: Path, columns: Mapping[str, type], say: Answer) -> None:
    """Write a copy of a file, in its own format, with further columns.

    In constant memory, but for Excel. Texts are written in UTF-8, whatever they were.

    Args:
        source: resolved; its titles need no labels.
        columns: what they are called, and the type of their values: str, float or bool. Where the
            file has one that is called so, all get a prefix.
        say: gives a row's further cells.
    Raises:
        DataError: the file as a whole cannot be read.
        UsageError: it is a dataset, not a file.
    """
    if source.format == "parquet":
        extend_parquet(source, target, columns, say)
    elif source.format == "excel":
        extend_excel(source, target, columns, say)
    elif source.format == "dataset":
        raise UsageError(f"{source.path}: a dataset, not a file; write it to one, such as Parquet")
    else:
        _extend_lines(source, target, list(columns), say)


def about_rows(source: Source) -> int | None:
    """About how many rows a file has: of a text, its lines; None where that takes a reading."""
    if source.format == "parquet":
        return parquet_rows(source)
    if source.format in ("excel", "dataset") or source.is_stdin:
        return None
    try:
        with Path(source.path).open("rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(partial(file.read, 1 << 20), b""))
    except OSError:  # whoever reads it says why it cannot
        return None


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


def mark_of_copy(lines: ByteLines, format: str) -> bytes:
    """The byte order mark that a copy in UTF-8 begins with, so that Excel reads it as the file.

    Args:
        lines: the first of them was read.
    """
    is_marked = bool(lines.mark) or (lines.encoding != UTF_8 and format != "jsonl")
    return codecs.BOM_UTF8 * is_marked


def _extend_lines(source: Source, target: Path, names: list[str], say: Answer) -> None:
    lines = ByteLines(source)
    rows = extend(source, lines, names)
    with target.open("wb") as file:
        block = list(islice(rows, _BLOCK))
        file.write(mark_of_copy(lines, source.format or ""))
        while block:
            answers = iter(say([row.record for row in block if row.record]))
            file.writelines(row.extended(next(answers) if row.record else names) for row in block)
            block = list(islice(rows, _BLOCK))
