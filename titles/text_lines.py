"""The txt format: `title<TAB>label` a line, or a bare title a line where no label is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from titles.byte_lines import Seen, broken_encoding, byte_lines
from titles.record import Edit, Fault, Record
from titles.source import Source


def read_text(source: Source, labelled: bool, seen: Seen | None = None) -> Iterator[Record]:
    """The lines as records; when `labelled`, a line without a label has the wrong column count.

    Args:
        seen: as for `byte_lines`.
    """
    for line, raw in enumerate(byte_lines(source, seen), 1):
        yield _record(line, raw.rstrip(b"\r\n"), labelled)


def rewrite_text(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy, UTF-8 with line feeds, of the records that `edit` keeps."""
    with target.open("wb") as file:
        for record in read_text(source, labelled):
            title = edit(record)
            if title is not None:
                text = title if record.label is None else f"{title}\t{record.label}"
                file.write(text.encode() + b"\n")


def _record(line: int, raw: bytes, labelled: bool) -> Record:
    try:
        columns = raw.decode().split("\t")
    except UnicodeDecodeError as error:
        return Record(line, None, None, broken_encoding(error))
    if len(columns) == 2:
        return Record(line, columns[0], columns[1].strip() or None)
    if columns == [""]:
        return Record(line, None, None, Fault("missing-title", "the line is blank"))
    if len(columns) == 1 and not labelled:
        return Record(line, columns[0], None)
    detail = f"columns: {len(columns)}, expected title<TAB>label"
    return Record(line, None, None, Fault("column-count", detail))
