"""The id of a row's label: a place among the classes that are known, or that the rows bring."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Protocol

from models.errors import DataError
from models.labels import Labels
from titles.dataset_rows import dataset_class_names
from titles.parquet_table import parquet_class_names
from titles.record import Fault, Record
from titles.source import Source, resolve

MOST_LABELS = 10_000
"""More distinct labels than this are a wrong column, not a taxonomy."""

Classes = Labels | Path | None
"""Classes as callers give them: known, in a file with one name a line, or None: to be found."""


class LabelIds(Protocol):
    """Gives the rows of one source the ids of their labels."""

    def of(self, record: Record) -> int | Fault:
        """The id of a record's label, or why it has none."""

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        """After the last row: the classes, and the ids that `of` gave as places among them."""


class KnownLabels:
    """Of classes known beforehand: a label is a name, or an id unless that is another's name."""

    def __init__(self, labels: Labels):
        self._labels = labels
        self._ids = {str(i): i for i in range(len(labels))} | labels.ids

    def of(self, record: Record) -> int | Fault:
        label = self._ids.get(record.label or "")
        return label if label is not None else self._fault(record.label)

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        return self._labels, ids

    def _fault(self, label: str | None) -> Fault:
        what = f"label {label and label[:40]!r} is not one of the {len(self._labels)} labels"
        return Fault("unknown-label", _MISSING if label is None else what)


class RowLabels:
    """Of classes that the rows bring: their distinct labels, in the end sorted by name."""

    def __init__(self, source: Source):
        self._path = source.path
        self._ids: dict[str, int] = {}

    def of(self, record: Record) -> int | Fault:
        """Raises:
        DataError: more distinct labels than a taxonomy has.
        """
        if record.label is None:
            return Fault("unknown-label", _MISSING)
        label = self._ids.setdefault(record.label, len(self._ids))
        if label == MOST_LABELS:
            raise DataError(
                f"more than {MOST_LABELS} distinct labels; name the column with --label-column",
                self._path,
                record.line,
            )
        return label

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        """Raises:
        DataError: no labels, or bare numbers, whose names only a `class.txt` can tell.
        """
        names = sorted(self._ids)
        if not names:
            raise DataError("no row has a label; pass a file with labels", self._path)
        if all(name.isdecimal() for name in names):
            raise DataError(
                f"labels are bare numbers ({', '.join(sorted(names, key=int)[:3])}, ...); write "
                "their names, one a line, to class.txt beside the file, or pass --labels",
                self._path,
            )
        places = {self._ids[name]: place for place, name in enumerate(names)}
        return Labels.of(names), array(ids.typecode, (places[i] for i in ids))


_MISSING = "the label is missing"


def label_ids_of(source: Source, classes: Classes) -> LabelIds:
    """What gives a source's labels their ids. Its classes are, in this order of trust:

    1. those given; 2. `class.txt` beside the data file (or in the folder); 3. the ClassLabel
    feature of a `datasets` dataset; 4. the sorted distinct labels of its rows.

    Raises:
        DataError: the file of classes cannot be read.
    """
    if isinstance(classes, Labels):
        return KnownLabels(classes)
    if classes is not None:
        return KnownLabels(Labels.read(classes))
    source = resolve(source)
    path = Path(source.path)
    beside = (path if path.is_dir() else path.parent) / "class.txt"
    if path.exists() and beside.is_file():
        return KnownLabels(Labels.read(beside))
    declared = {"dataset": dataset_class_names, "parquet": parquet_class_names}
    names = declared[source.format](source) if source.format in declared else None
    return KnownLabels(Labels.of(names)) if names else RowLabels(source)
