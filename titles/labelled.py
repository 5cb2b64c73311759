"""Labelled titles: the one type in which they go from files to training and evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np

from models.errors import DataError
from models.labels import Labels

NO_LABEL = -1
"""Stands for the label of a title that has none."""


@dataclass(frozen=True)
class Fingerprint:
    """Which data it is, so that a model can say what it was made from.

    Attributes:
        name: the file's, the dataset's with its split, or one given.
        rows: all of them, usable or not.
        sha256: of a file's bytes; of a dataset, of its rows written as `title<TAB>label` lines; of
            titles put together in memory, `LabelledTitles.content_sha256`.
    """

    name: str
    rows: int
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """{"name", "rows", "sha256"}, as manifests hold it."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class LabelledTitles:
    """Titles with the ids of their labels: `titles[i]` is of class `labels.names[label_ids[i]]`.

    Attributes:
        label_ids: (n,) int64, `NO_LABEL` where there is none.
    Raises:
        DataError: not one label id a title, or an id that is no class.
    """

    titles: Sequence[str]
    label_ids: np.ndarray
    labels: Labels
    fingerprint: Fingerprint

    def __post_init__(self) -> None:
        if len(self.titles) != len(self.label_ids):
            raise DataError(
                f"{len(self.titles)} titles but {len(self.label_ids)} label ids; "
                "give one label a title"
            )
        known = (self.label_ids >= 0) & (self.label_ids < len(self.labels))
        unknown = np.flatnonzero(~known & (self.label_ids != NO_LABEL))
        if len(unknown):
            raise DataError(
                f"title {unknown[0]} (counted from 0) has label id {self.label_ids[unknown[0]]}, "
                f"but there are {len(self.labels)} classes; fix the row or pass the right class "
                "names"
            )

    @classmethod
    def of(
        cls,
        titles: Iterable[str],
        label_ids: Sequence[int] | np.ndarray,
        labels: Labels,
        name: str = "titles",
    ) -> Self:
        """Titles from anywhere, known by the hash of their content."""
        titles, ids = list(titles), np.array(label_ids, np.int64)
        content = _content_sha256(titles, ids, labels)
        return cls(titles, ids, labels, Fingerprint(name, len(titles), content))

    def __len__(self) -> int:
        return len(self.titles)

    @cached_property
    def content_sha256(self) -> str:
        """Of titles, label ids and class names in their order: what is learned, whatever the file.

        The same file read by other columns or other classes has the same fingerprint, and is
        something else to learn.
        """
        return _content_sha256(self.titles, self.label_ids, self.labels)

    def require_labels(self) -> None:
        """Refuse titles without a label, where only labels can be learned or measured.

        Raises:
            DataError: names the first.
        """
        missing = np.flatnonzero(self.label_ids == NO_LABEL)
        if len(missing):
            raise DataError(
                f"title {missing[0]} (counted from 0) has no label; leave it out or give it one",
                self.fingerprint.name,
            )

    def require_two_classes(self) -> None:
        """Refuse titles that no classifier can be trained on.

        Raises:
            DataError: a title without a label, or fewer than two classes.
        """
        self.require_labels()
        present = len(np.unique(self.label_ids))
        if present < 2:
            raise DataError(
                f"the training titles are of {present} class(es); a classifier needs titles of at "
                "least two",
                self.fingerprint.name,
            )

    def take(self, indices: Sequence[int] | np.ndarray) -> Self:
        """Some of the titles, in the order of `indices`."""
        titles = [self.titles[i] for i in indices]
        ids = self.label_ids[np.asarray(indices, np.int64)]
        return self.of(titles, ids, self.labels, self.fingerprint.name)

    def with_unlabelled(self, more: Sequence[str]) -> Self:
        """These titles, and then some that have no label."""
        ids = np.append(self.label_ids, np.full(len(more), NO_LABEL))
        return self.of([*self.titles, *more], ids, self.labels, self.fingerprint.name)


def _content_sha256(titles: Sequence[str], label_ids: np.ndarray, labels: Labels) -> str:
    content = sha256(json.dumps(labels.names).encode())
    content.update(json.dumps(list(titles)).encode())
    content.update(label_ids.astype("<i8").tobytes())
    return content.hexdigest()
