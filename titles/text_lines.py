"""The txt format: `title<TAB>label` a line, or a bare title a line where no label is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from titles.byte_lines import ByteLines, broken_encoding, write_copy
from titles.columns import names_columns
from titles.label_text import label_name
from titles.record import Cell, CelledRow, Edit, Extendable, Fault, Record, cell_text
from titles.source import Source

_OTHERWISE_PARTED = re.compile(r".*?\S(?P<by>\s+|\s*[,;|，；]\s*)(?P<label>[^\s,;|，；]{1,20})")
_END = 30
"""Characters of a line in which a label of 20 and what parts it from the title are found."""
_NAMES = {",": "a comma", "，": "a comma", ";": "a semicolon", "；": "a semicolon", "|": "a bar"}


def read_text(source: Source, labelled: bool, lines: ByteLines) -> Iterator[Record]:
    """The lines as records; when `labelled`, a line without a label has the wrong column count."""
    for _, record in _rows(lines, labelled):
        yield record


def rewrite_text(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy, in UTF-8, of the lines that `edit` keeps; all but an edited title stays."""
    lines = ByteLines(source)
    write_copy(target, lines, _edited(lines, labelled, edit))


def text_cells(lines: ByteLines) -> Iterator[CelledRow]:
    """The lines as titles and, where they have them, labels."""
    for raw, record in _rows(lines, labelled=False):
        told = None if record.fault else {"title": record.title, "label": record.label}
        yield CelledRow(record, told, raw.decode(errors="surrogateescape").rstrip("\r\n"))


def extend_text(lines: ByteLines) -> Iterator[Extendable]:
    """The lines, each with what writes it with further cells, parted by tabs, below a header."""
    columns = 0
    for raw, record in _rows(lines, labelled=False):
        line = raw.rstrip(b"\r\n")
        if not columns:
            columns = 1 + (b"\t" in line)
            header = "\t".join(("title", "label")[:columns]).encode()
            yield Extendable(None, partial(_extended, header, columns))
        yield Extendable(record, partial(_extended, line, columns))


def _extended(line: bytes, columns: int, values: Sequence[Cell]) -> bytes:
    cells = line.split(b"\t")
    inside = cells[:columns] + [b""] * (columns - len(cells))
    added = [cell_text(value).replace("\t", " ").encode() for value in values]
    return b"\t".join(map(_quoted, [*inside, *added, *cells[columns:]])) + b"\n"


def _quoted(cell: bytes) -> bytes:
    """As readers of tables want it: else a quote at the beginning of a title would open a cell."""
    return b'"' + cell.replace(b'"', b'""') + b'"' if cell.startswith(b'"') else cell


def _edited(lines: ByteLines, labelled: bool, edit: Edit) -> Iterator[bytes]:
    for raw, record in _rows(lines, labelled):
        title = edit(record)
        if title is None:
            continue
        if title != record.title:
            raw = title.encode() + raw[len((record.title or "").encode()) :]
        yield raw


def _rows(lines: ByteLines, labelled: bool) -> Iterator[tuple[bytes, Record]]:
    for line, raw in enumerate(lines, 1):
        yield raw, _record(line, raw.rstrip(b"\r\n"), labelled)


def _record(line: int, raw: bytes, labelled: bool) -> Record:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return Record(line, None, None, broken_encoding(error))
    columns = text.split("\t")
    if line == 1 and len(columns) > 1 and names_columns(columns):
        what = f"the line names columns ({', '.join(columns)}), so the file is a table"
        return Record(line, None, None, Fault("malformed-record", what))
    if len(columns) == 2:
        return Record(line, columns[0], label_name(columns[1]))
    if not text:
        return Record(line, None, None, Fault("missing-title", "the line is blank"))
    if len(columns) == 1 and not labelled:
        return Record(line, columns[0], None)
    detail = f"columns: {len(columns)}, expected title<TAB>label"
    if len(columns) == 1:
        detail += _how_parted(text)
    return Record(line, None, None, Fault("column-count", detail))


def _how_parted(text: str) -> str:
    """What may stand where a tab belongs."""
    parted = _OTHERWISE_PARTED.fullmatch(text.strip()[-_END:])
    if parted is None:
        return ""
    by = _NAMES.get(parted["by"].strip(), "a space")
    return f" ({by} stands before {parted['label']!r})"
