"""Rows that training and scoring can use: a title and, where asked for, the id of its label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.errors import DataError
from models.labels import Labels
from models.title_text import is_blank
from titles.findings import CODES
from titles.formats import read_records
from titles.record import Fault, Record
from titles.source import Source, resolve


@dataclass(frozen=True, slots=True)
class Row:
    """A usable row: the title as it stands in the file, the id of its label, its line from 1."""

    title: str
    label: int | None
    line: int


def read(source: Source, labels: Labels | None) -> Iterator[Row]:
    """Stream the rows of a source, in constant memory.

    Args:
        labels: the classes; a label may be given as name or as id. None reads titles alone, and
            every `Row.label` is None.
    Raises:
        DataError: at the first row that cannot be used, as `file:line: what; remedy`.
    """
    label_ids = accepted_labels(labels)
    source = resolve(source)
    for record in read_records(source, labelled=labels is not None):
        verdict = judge(record, label_ids)
        if isinstance(verdict, Fault):
            remedy = CODES[verdict.code].remedy
            raise DataError(f"{verdict.detail}; {remedy}", source.path, record.line)
        yield Row(record.title or "", verdict, record.line)


def load(source: Source, labels: Labels) -> tuple[list[str], list[int]]:
    """All titles and label ids of a source.

    Raises:
        DataError: a row cannot be used, or there is none.
    """
    titles: list[str] = []
    label_ids: list[int] = []
    for row in read(source, labels):
        titles.append(row.title)
        label_ids.append(row.label if row.label is not None else -1)
    if not titles:
        raise DataError(f"no rows; {CODES['no-rows'].remedy}", source.path)
    return titles, label_ids


def accepted_labels(labels: Labels | None) -> dict[str, int] | None:
    """Every text that stands for a label: its name, and its id unless that is another's name."""
    if labels is None:
        return None
    return {str(i): i for i in range(len(labels))} | labels.ids


def judge(record: Record, label_ids: dict[str, int] | None) -> int | Fault | None:
    """The label id of a usable record (None when labels are not asked for), or its fault."""
    if record.fault is not None:
        return record.fault
    title = record.title or ""
    if not title.isprintable():
        if any("\ud800" <= character <= "\udfff" for character in title):
            return Fault("broken-encoding", "the title holds bytes that are not UTF-8")
        if is_blank(title):
            return Fault("empty-title", "the title holds only spaces or control characters")
    elif not title.strip():
        return Fault("empty-title", "the title is empty" if not title else "the title is blank")
    if label_ids is None:
        return None
    label = label_ids.get(record.label or "")
    if label is None:
        return Fault("unknown-label", _unknown_label(record.label, label_ids))
    return label


def _unknown_label(label: str | None, label_ids: dict[str, int]) -> str:
    if label is None:
        return "the label is missing"
    return f"label {label[:40]!r} is not one of the {len(set(label_ids.values()))} labels"
