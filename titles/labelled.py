"""Labelled titles: the one type in which they go from files to training and evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np

from models.errors import DataError, UsageError
from models.labels import Labels
from titles.newsroom_labels import NO_LABEL, NewsroomLabels


@dataclass(frozen=True)
class Fingerprint:
    """Which data it is, so that a model can say what it was made from.

    Attributes:
        name: the file's, the dataset's with its split, or one given.
        rows: all of them, usable or not.
        sha256: of a file's bytes; of a dataset, of its rows written as `title<TAB>label` lines; of
            titles put together in memory, `LabelledTitles.content_sha256`.
        parts: of what was joined.
    """

    name: str
    rows: int
    sha256: str
    parts: tuple[Fingerprint, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """{"name", "rows", "sha256"}, as manifests hold it."""
        return {"name": self.name, "rows": self.rows, "sha256": self.sha256}


@dataclass(frozen=True, eq=False)
class LabelledTitles:
    """Titles with the ids of their labels: `titles[i]` is of class `labels.names[label_ids[i]]`.

    Attributes:
        label_ids: (n,) int64, `NO_LABEL` where there is not exactly one.
        newsroom_labels: where the titles' labels are not the classes themselves, but those of
            newsrooms, which may mean one class, several, or none.
        dates: of each title, `2026-06-01`, `2026-06`, or None where it is not known.
    Raises:
        DataError: not one label id a title, or an id that is no class.
    """

    titles: Sequence[str]
    label_ids: np.ndarray
    labels: Labels
    fingerprint: Fingerprint
    newsroom_labels: NewsroomLabels | None = None
    dates: Sequence[str | None] | None = None

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
        newsroom_labels: NewsroomLabels | None = None,
        dates: Sequence[str | None] | None = None,
    ) -> Self:
        """Titles from anywhere, known by the hash of their content."""
        titles, ids = list(titles), np.array(label_ids, np.int64)
        content = _content_sha256(titles, ids, labels, newsroom_labels)
        fingerprint = Fingerprint(name, len(titles), content)
        return cls(titles, ids, labels, fingerprint, newsroom_labels, dates)

    @classmethod
    def joined(cls, parts: Sequence[Self], name: str) -> Self:
        """Titles of several newsrooms, one after the other.

        Args:
            parts: at least one; those whose labels are the classes are of the newsroom that their
                fingerprint names.
        Raises:
            UsageError: parts of different classes.
        """
        labels = parts[0].labels
        if any(part.labels.names != labels.names for part in parts):
            raise UsageError("titles of different classes cannot be joined; give all one class.txt")
        newsroom_labels = NewsroomLabels.joined([part.by_newsroom for part in parts])
        titles = [title for part in parts for title in part.titles]
        dates = [date for part in parts for date in part.dates or [None] * len(part)]
        found = cls.of(titles, newsroom_labels.class_ids(), labels, name, newsroom_labels, dates)
        each = tuple(part.fingerprint for part in parts)
        return replace(found, fingerprint=replace(found.fingerprint, parts=each))

    def __len__(self) -> int:
        return len(self.titles)

    @cached_property
    def content_sha256(self) -> str:
        """Of titles, label ids and class names in their order: what is learned, whatever the file.

        The same file read by other columns or other classes has the same fingerprint, and is
        something else to learn.
        """
        return _content_sha256(self.titles, self.label_ids, self.labels, self.newsroom_labels)

    @property
    def by_newsroom(self) -> NewsroomLabels:
        """The newsrooms' labels; where they are the classes, the newsroom is the file's name."""
        return self.newsroom_labels or NewsroomLabels.of_classes(
            self.fingerprint.name, self.labels.names, self.label_ids
        )

    @cached_property
    def may_be(self) -> np.ndarray:
        """(n, classes) bool: which classes each title may be of.

        Of a title with a label, one or several; of one that lies outside all classes, none; of one
        without a label, all.
        """
        return self.by_newsroom.may_be(len(self.labels))

    @cached_property
    def has_label(self) -> np.ndarray:
        """(n,) bool: which titles have a label, whatever it means."""
        found: np.ndarray = self.by_newsroom.ids != NO_LABEL
        return found

    @cached_property
    def in_scope(self) -> np.ndarray:
        """(n,) bool: which titles have a label that means one or several of the classes."""
        found: np.ndarray = self.has_label & self.may_be.any(axis=1)
        return found

    @property
    def gold(self) -> np.ndarray:
        """What metrics compare with: (n,) class ids, or, of newsrooms' labels, `may_be`."""
        return self.label_ids if self.newsroom_labels is None else self.may_be

    def of_one_class(self, seed: int = 13) -> Self:
        """The titles in scope, each with one class, for who can learn no others.

        Of several that a title may be of, one is drawn.
        """
        if self.newsroom_labels is None:
            return self
        kept = np.flatnonzero(self.in_scope).tolist()
        chance = np.random.default_rng(seed).random((len(kept), len(self.labels)))
        drawn = np.where(self.may_be[kept], chance, -1).argmax(axis=1)
        titles = [self.titles[i] for i in kept]
        return self.of(titles, drawn, self.labels, self.fingerprint.name)

    def require_labels(self) -> None:
        """Refuse titles without a label, where only labels can be learned or measured.

        Raises:
            DataError: names the first.
        """
        missing = np.flatnonzero(~self.has_label)
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
        present = int(self.may_be[self.in_scope].any(axis=0).sum())
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
        newsroom_labels = self.newsroom_labels and self.newsroom_labels.take(indices)
        dates = self.dates and [self.dates[i] for i in indices]
        return self.of(titles, ids, self.labels, self.fingerprint.name, newsroom_labels, dates)

    def with_unlabelled(self, more: Sequence[str]) -> Self:
        """These titles, and then some that have no label."""
        none = np.full(len(more), NO_LABEL)
        ids, newsroom_labels = np.append(self.label_ids, none), self.newsroom_labels
        if newsroom_labels is not None:
            ids_of_all = np.append(newsroom_labels.ids, none)
            newsroom_labels = replace(newsroom_labels, ids=ids_of_all)
        titles = [*self.titles, *more]
        return self.of(titles, ids, self.labels, self.fingerprint.name, newsroom_labels)


def _content_sha256(
    titles: Sequence[str],
    label_ids: np.ndarray,
    labels: Labels,
    newsroom_labels: NewsroomLabels | None,
) -> str:
    content = sha256(json.dumps(labels.names).encode())
    content.update(json.dumps(list(titles)).encode())
    content.update(label_ids.astype("<i8").tobytes())
    if newsroom_labels is not None:
        content.update(json.dumps([astuple(kind) for kind in newsroom_labels.kinds]).encode())
        content.update(newsroom_labels.ids.astype("<i8").tobytes())
    return content.hexdigest()
