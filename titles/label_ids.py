"""The id of a row's label: a place among the classes that are known, or that the rows bring.

Names decide. A number is a place in the list that its own file came with (`--labels`, the
`class.txt` beside it, a declared ClassLabel), whatever the order of the classes that are wanted.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Protocol

import numpy as np

from models.errors import DataError
from models.labels import Labels
from titles.class_map import LabelMeanings
from titles.dataset_rows import dataset_class_names
from titles.label_text import as_id, differs_in_looks_only, is_missing, nameless
from titles.parquet_table import parquet_class_names
from titles.record import Fault, Record
from titles.source import Source
from titles.source_format import resolve

MOST_LABELS = 10_000
"""More distinct labels than this are a wrong column, not a taxonomy."""
FEWEST_TITLES = 10
"""Of fewer titles, each may be the only one of its class."""

Classes = Labels | Path | None
"""Classes as callers give them: known, in a file with one name a line, or None: to be found."""


class LabelIds(Protocol):
    """Gives the rows of one source the ids of their labels."""

    numbering: Labels | None
    """The list in which a number among the labels is a place; None where no list is known."""

    def of(self, record: Record) -> int | Fault:
        """The id of a record's label, or why it has none."""

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        """After the last row: the classes, and the ids that `of` gave as places among them."""


class KnownLabels:
    """Of classes known beforehand: a label is a name, or a number unless that is another's name.

    Args:
        classes: whose places are the ids.
        numbering: the list whose places are the numbers in the file; None where there is none, so
            that a number says nothing.
    """

    def __init__(self, classes: Labels, numbering: Labels | None):
        self.numbering = numbering
        self._classes = classes
        self._numbered = {
            str(i): name for i, name in enumerate(numbering.names if numbering else ())
        }
        known = {number: classes.ids.get(name) for number, name in self._numbered.items()}
        self._ids = {number: i for number, i in known.items() if i is not None} | classes.ids

    def of(self, record: Record) -> int | Fault:
        label = record.label
        if label is None:
            return Fault("unknown-label", _MISSING)
        found = self._ids.get(label)
        if found is None:
            found = self._ids.get(as_id(label))
        return found if found is not None else Fault("unknown-label", self._objection(record))

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        return self._classes, ids

    def _objection(self, record: Record) -> str:
        label, names = record.label or "", self._classes.names
        if is_missing(label):
            return _MISSING
        what = f"label {label[:40]!r} is not one of the {len(names)} labels"
        if (record.title or "").strip() in self._classes.ids:
            return f"{what}, but the title is: the columns seem to be exchanged"
        number = as_id(label)
        if number in self._numbered:  # of a list that has more classes
            return (
                f"label {number} is {self._numbered[number]!r}, not one of the {len(names)} labels"
            )
        if self.numbering is None and number.isdecimal():
            return f"{what}: they were found in rows, and no list says which of them a number is"
        if number == str(len(self._numbered)):
            return f"{what}, whose ids count from 0 to {len(names) - 1}"
        alike = [name for name in names if differs_in_looks_only(name, label)]
        return f"{what}, but {alike[0]!r} is" if alike else what


class MappedLabels(KnownLabels):
    """Of a newsroom whose labels a class map lists; those that it does not list come after them.

    Args:
        numbering: the list that lies beside the newsroom's file; None where there is none.
    """

    def __init__(self, meanings: LabelMeanings, numbering: Labels | None, path: str | Path):
        super().__init__(meanings.labels, numbering)
        self._path = path
        self._unlisted: dict[str, int] = {}

    def of(self, record: Record) -> int | Fault:
        """Raises:
        DataError: more distinct labels than a taxonomy has.
        """
        found, label = super().of(record), record.label
        if isinstance(found, int) or label is None or is_missing(label):
            return found
        if len(self._unlisted) == MOST_LABELS:
            raise _too_many_labels(self._path, record)
        return self._unlisted.setdefault(label, len(self._classes) + len(self._unlisted))

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        return Labels.of([*self._classes.names, *self._unlisted]), ids


class RowLabels:
    """Of classes that the rows bring: their distinct labels, in the end sorted by name."""

    numbering: Labels | None = None

    def __init__(self, source: Source):
        self._path = source.path
        self._ids: dict[str, int] = {}
        self._lines: list[int] = []
        """Where each was first seen."""

    def of(self, record: Record) -> int | Fault:
        """Raises:
        DataError: more distinct labels than a taxonomy has.
        """
        label = record.label
        if label is None:
            return Fault("unknown-label", _MISSING)
        found = self._ids.get(label)
        if found is not None:
            return found
        if is_missing(label):
            return Fault("unknown-label", _MISSING)
        if len(self._ids) == MOST_LABELS:
            raise _too_many_labels(self._path, record)
        self._lines.append(record.line)
        return self._ids.setdefault(label, len(self._ids))

    def settle(self, ids: array[int]) -> tuple[Labels, array[int]]:
        """Raises:
        DataError: no labels, bare numbers, whose names only a `class.txt` can tell, or what cannot
            be a list of classes.
        """
        names = sorted(self._ids)
        if not names:
            raise DataError("no row has a label; pass a file with labels", self._path)
        self._refuse_nameless(names)
        self._refuse_titles(np.bincount(ids, minlength=len(names)))
        places = {self._ids[name]: place for place, name in enumerate(names)}
        return Labels.of(names), array(ids.typecode, (places[i] for i in ids))

    def _refuse_nameless(self, names: list[str]) -> None:
        """Refuse numbers, dates and truth values, all or some of them."""
        odd = [name for name in names if nameless(name)]
        if not odd:
            return
        kind = nameless(odd[0])
        if len(odd) < len(names):
            label = min(odd, key=self._ids.__getitem__)
            raise DataError(
                f"label {label!r} ({nameless(label)}) stands among names such as "
                f"{next(name for name in names if name not in odd)!r}; fix the row, or list all "
                "names with --labels",
                self._path,
                self._lines[self._ids[label]],
            )
        if all(name.isdecimal() for name in odd):
            odd.sort(key=int)
        raise DataError(
            f"labels are bare {kind}s ({', '.join(odd[:3])}, ...); "
            + (
                "write their names, one a line, to class.txt beside the file, or pass --labels"
                if kind == "number"
                else "name the column of the labels with --label-column, or list them with --labels"
            ),
            self._path,
        )

    def _refuse_titles(self, sizes: np.ndarray) -> None:
        """Refuse labels that are as many as the titles: they are no classes.

        Args:
            sizes: (classes,) titles of each.
        """
        titles, alone = int(sizes.sum()), int((sizes == 1).sum())
        if titles >= FEWEST_TITLES and 2 * alone > titles:
            raise DataError(
                f"{len(sizes):,} distinct labels for {titles:,} titles, of which {alone:,} are the "
                "only one of their class; are title and label exchanged? Name the column with "
                "--label-column, or list the classes with --labels",
                self._path,
            )


_MISSING = "the label is missing"


def label_ids_of(
    source: Source,
    given: Classes = None,
    wanted: Labels | None = None,
    numbering: Labels | None = None,
) -> LabelIds:
    """What gives a source's labels their ids.

    The source's own classes are, in this order of trust: 1. those given; 2. `class.txt` beside the
    data file (or in the folder); 3. the ClassLabel feature of a `datasets` dataset; 4. the sorted
    distinct labels of its rows.

    Args:
        wanted: the classes whose places the ids are to be, such as a model's; None: the source's
            own.
        numbering: where the source has no list of its own, the one in which numbers are places.
    Raises:
        DataError: the file of classes cannot be read.
    """
    own = _listed_classes(source, given)
    if wanted is not None:
        return KnownLabels(wanted, own or numbering)
    return RowLabels(source) if own is None else KnownLabels(own, own)


def given_classes(given: Classes) -> Labels | None:
    """The classes that a caller gives, read where they are a file.

    Raises:
        DataError: the file cannot be read.
    """
    return given if given is None or isinstance(given, Labels) else Labels.read(given)


def mapped_label_ids(source: Source, meanings: LabelMeanings) -> LabelIds:
    """What gives the labels of a newsroom their places in its class map."""
    return MappedLabels(meanings, _listed_classes(source, None), source.path)


def _too_many_labels(path: str | Path, record: Record) -> DataError:
    return DataError(
        f"more than {MOST_LABELS} distinct labels; name the column with --label-column",
        path,
        record.line,
    )


def _listed_classes(source: Source, given: Classes) -> Labels | None:
    if given is not None:
        return given_classes(given)
    source = resolve(source)
    path = Path(source.path)
    beside = (path if path.is_dir() else path.parent) / "class.txt"
    if path.exists() and beside.is_file():
        return Labels.read(beside)
    declared = {"dataset": dataset_class_names, "parquet": parquet_class_names}
    names = declared[source.format](source) if source.format in declared else None
    return Labels.of(names) if names else None
