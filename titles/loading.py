"""From sources to titles in memory: each source is read once, and by that read also checked."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np

from models.errors import DataError
from models.labels import Labels
from titles.checking import report_on
from titles.findings import CODES
from titles.label_ids import Classes, label_ids_of
from titles.labelled import NO_LABEL, Fingerprint, LabelledTitles
from titles.reading import Reading
from titles.report import Report
from titles.rows import usable_rows
from titles.scan import Progress, scan_splits
from titles.source import Source


def read(source: Source, labels: Classes = None) -> LabelledTitles:
    """All titles of a source with their labels.

    Args:
        labels: the classes, or a file with one name a line; a row's label is a name or an id of
            these. None finds them: in `class.txt` beside the file, in the ClassLabel feature of a
            dataset, else in the rows themselves.
    Raises:
        DataError: a row cannot be used (the first is named, as `file:line: what; remedy`), there is
            none, or the labels cannot be told.
    """
    reading, label_ids = Reading(source, labelled=True), label_ids_of(source, labels)
    titles: list[str] = []
    given = array("q")
    for title, label_id in usable_rows(reading, label_ids):
        titles.append(title)
        given.append(label_id)
    if not titles:
        raise DataError(f"no rows; {CODES['no-rows'].remedy}", reading.source.path)
    classes, ids = label_ids.settle(given)
    return LabelledTitles(titles, np.asarray(ids, np.int64), classes, reading.fingerprint)


def read_titles(source: Source) -> TitleStream:
    """The titles of a source, its labels unread, streamed in constant memory.

    Raises:
        DataError: at the first row that cannot be used.
    """
    return TitleStream(source)


def read_unlabelled(source: Source, labels: Labels) -> LabelledTitles:
    """All titles of a source, its labels unread.

    Args:
        labels: the classes that the titles are to be scored for.
    Raises:
        DataError: a row cannot be used.
    """
    stream = read_titles(source)
    titles = list(stream)
    return LabelledTitles(titles, np.full(len(titles), NO_LABEL), labels, stream.fingerprint)


class TitleStream(Iterator[str]):
    """Titles one after the other, and then their fingerprint."""

    def __init__(self, source: Source):
        self._reading = Reading(source, labelled=False)
        self._rows = usable_rows(self._reading, None)

    def __next__(self) -> str:
        return next(self._rows)[0]

    @property
    def fingerprint(self) -> Fingerprint:
        """Which data it was; there once the last title was given."""
        return self._reading.fingerprint


def read_splits(
    splits: Mapping[str, Source], labels: Classes = None, progress: Progress | None = None
) -> tuple[dict[str, LabelledTitles], Report]:
    """The usable titles of every split, and all that `check` finds wrong, from one read of each.

    Args:
        splits: by name, as for `check`; all have the classes of the first.
        labels: as for `read`.
        progress: as for `check`.
    Raises:
        DataError: a source as a whole cannot be read, or the labels cannot be told.
    """
    scans = scan_splits(splits, labels, keep_titles=True, progress=progress)
    return {scan.split: scan.labelled() for scan in scans}, report_on(scans)
