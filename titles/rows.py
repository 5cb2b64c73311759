"""Rows that training and scoring can use, out of all records."""

from __future__ import annotations

from collections.abc import Iterator

from models.errors import DataError
from models.title_text import is_blank
from titles.findings import CODES
from titles.label_ids import LabelIds
from titles.newsroom_labels import NO_LABEL
from titles.reading import Reading
from titles.record import Fault, Record


def judge(record: Record, label_ids: LabelIds | None) -> int | Fault:
    """The label id of a usable record (`NO_LABEL` where labels are not read), or its fault."""
    if record.fault is not None:
        return record.fault
    # Before the title is judged: classes found in the rows are those of rows without a title, too.
    label = NO_LABEL if label_ids is None else label_ids.of(record)
    return _title_fault(record.title or "") or label


def usable_rows(reading: Reading, label_ids: LabelIds | None) -> Iterator[tuple[Record, int]]:
    """Every record with its label id, in constant memory; `NO_LABEL` where labels are not read.

    Raises:
        DataError: at the first record that cannot be used, as `file:line: what; remedy`.
    """
    for record in reading:
        verdict = judge(record, label_ids)
        if isinstance(verdict, Fault):
            remedy = CODES[verdict.code].remedy
            raise DataError(f"{verdict.detail}; {remedy}", reading.source.path, record.line)
        yield record, verdict


def _title_fault(title: str) -> Fault | None:
    if not title.isprintable():
        if any("\ud800" <= character <= "\udfff" for character in title):
            return Fault("broken-encoding", "the title holds bytes that are not UTF-8")
        if is_blank(title):
            return Fault("empty-title", "the title holds only spaces or control characters")
    elif not title.strip():
        return Fault("empty-title", "the title is empty" if not title else "the title is blank")
    return None
