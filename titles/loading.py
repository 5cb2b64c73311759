"""From sources to titles in memory: each source is read once, and by that read also checked."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterator, Mapping

import numpy as np

from models.errors import DataError
from models.labels import Labels
from models.text_encoding import UTF_8
from titles.checking import report_on
from titles.class_map import ClassMap
from titles.findings import CODES
from titles.label_ids import Classes, label_ids_of
from titles.labelled import Fingerprint, LabelledTitles
from titles.newsroom_labels import NO_LABEL
from titles.reading import Reading
from titles.report import Report
from titles.rows import usable_rows
from titles.scan import Progress, scan_splits
from titles.source import Source

logger = logging.getLogger("biaoti.titles")


def read(source: Source, labels: Classes = None, wanted: Labels | None = None) -> LabelledTitles:
    """All titles of a source with their labels.

    Args:
        labels: the classes, or a file with one name a line; a row's label is a name or an id of
            these. None finds them: in `class.txt` beside the file, in the ClassLabel feature of a
            dataset, else in the rows themselves.
        wanted: the classes whose places the label ids are to be, such as a model's; the titles'
            own are matched with them by name. None: the titles' own.
    Raises:
        DataError: a row cannot be used (the first is named, as `file:line: what; remedy`), there is
            none, or the labels cannot be told.
    """
    reading, label_ids = (
        Reading(source, labelled=True),
        label_ids_of(source, labels, wanted, wanted),
    )
    titles: list[str] = []
    dates: list[str | None] = []
    given = array("q")
    for record, label_id in usable_rows(reading, label_ids):
        titles.append(record.title or "")
        dates.append(record.date)
        given.append(label_id)
    if not titles:
        raise _no_rows(reading)
    _say_encoding(reading)
    classes, settled = label_ids.settle(given)
    ids, known = np.asarray(settled, np.int64), reading.fingerprint
    return LabelledTitles(titles, ids, classes, known, dates=dates)


def read_titles(source: Source) -> TitleStream:
    """The titles of a source, its labels unread, streamed in constant memory.

    Raises:
        DataError: at the first row that cannot be used, or at the end where there was none.
    """
    return TitleStream(source)


def read_unlabelled(source: Source, labels: Labels) -> LabelledTitles:
    """All titles of a source, its labels unread.

    Args:
        labels: the classes that the titles are to be scored for.
    Raises:
        DataError: a row cannot be used, or there is none.
    """
    stream = read_titles(source)
    titles = list(stream)
    return LabelledTitles(titles, np.full(len(titles), NO_LABEL), labels, stream.fingerprint)


def _say_encoding(reading: Reading) -> None:
    """Say that a file is not in UTF-8, where no report says it."""
    if reading.lines.encoding != UTF_8:
        logger.warning("%s is %s, and is read as such", reading.source.path, reading.lines.encoding)


def _no_rows(reading: Reading) -> DataError:
    return DataError(f"no rows; {CODES['no-rows'].remedy}", reading.source.path)


class TitleStream(Iterator[str]):
    """Titles one after the other, and then their fingerprint."""

    def __init__(self, source: Source):
        self._reading = Reading(source, labelled=False)
        self._rows = usable_rows(self._reading, None)
        self._any = False

    def __next__(self) -> str:
        """Raises:
        DataError: a row cannot be used, or there is none.
        """
        try:
            record, _ = next(self._rows)
        except StopIteration:
            if not self._any:
                raise _no_rows(self._reading) from None
            _say_encoding(self._reading)
            raise
        self._any = True
        return record.title or ""

    @property
    def fingerprint(self) -> Fingerprint:
        """Which data it was; there once the last title was given."""
        return self._reading.fingerprint


def read_splits(
    splits: Mapping[str, Source],
    labels: Classes = None,
    wanted: Labels | None = None,
    progress: Progress | None = None,
    class_map: ClassMap | None = None,
) -> tuple[dict[str, LabelledTitles], Report]:
    """The usable titles of every split, and all that `check` finds wrong, from one read of each.

    Args:
        splits: by name, as for `check`; all have the classes of the one that is to be learned.
        labels, wanted: as for `read`.
        progress, class_map: as for `check`.
    Raises:
        DataError: a source as a whole cannot be read, or the labels cannot be told.
    """
    scans = scan_splits(
        splits, labels, wanted, keep_titles=True, progress=progress, class_map=class_map
    )
    return {scan.split: scan.labelled() for scan in scans}, report_on(scans)
