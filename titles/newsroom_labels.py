"""What newsrooms call their titles, where that is not the class itself: several, one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

NO_LABEL = -1
"""Stands for the class of a title that is not known to be of exactly one."""


@dataclass(frozen=True)
class NewsroomLabel:
    """A label as a newsroom gives it, and the classes that it may mean.

    Attributes:
        may_be: class ids; none: the title lies outside all classes.
    """

    newsroom: str
    name: str
    may_be: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NewsroomLabels:
    """The newsroom's label of each of some titles.

    Attributes:
        kinds: the different ones.
        ids: (n,) int64, each title's place among these, `NO_LABEL` where it has none.
    """

    kinds: tuple[NewsroomLabel, ...]
    ids: np.ndarray

    @classmethod
    def of_classes(cls, newsroom: str, names: Sequence[str], label_ids: np.ndarray) -> Self:
        """Those of a newsroom whose labels are the classes."""
        kinds = (NewsroomLabel(newsroom, name, (i,)) for i, name in enumerate(names))
        return cls(tuple(kinds), label_ids)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """One after the other."""
        places: dict[NewsroomLabel, int] = {}
        ids = [
            part.lookup([places.setdefault(kind, len(places)) for kind in part.kinds])
            for part in parts
        ]
        return cls(tuple(places), np.concatenate(ids))

    @property
    def newsrooms(self) -> tuple[str, ...]:
        """The different ones, in their order."""
        return tuple(dict.fromkeys(kind.newsroom for kind in self.kinds))

    @property
    def newsroom_ids(self) -> np.ndarray:
        """(n,) int64: each title's place among `newsrooms`, `NO_LABEL` where it has no label."""
        place = {newsroom: i for i, newsroom in enumerate(self.newsrooms)}
        return self.lookup([place[kind.newsroom] for kind in self.kinds])

    def may_be(self, classes: int) -> np.ndarray:
        """(n, classes) bool: which classes each title may be of; of one without a label, all."""
        table = np.zeros((len(self.kinds) + 1, classes), bool)
        for row, kind in zip(table, self.kinds, strict=False):
            row[list(kind.may_be)] = True
        table[NO_LABEL] = True  # the last row
        found: np.ndarray = table[self.ids]
        return found

    def class_ids(self) -> np.ndarray:
        """(n,) int64: the class of each title that can be of one only, else `NO_LABEL`."""
        return self.lookup(
            [kind.may_be[0] if len(kind.may_be) == 1 else NO_LABEL for kind in self.kinds]
        )

    def lookup(self, of_kinds: Sequence[int]) -> np.ndarray:
        """(n,) int64: of each title, what is given of its kind; `NO_LABEL` where it has none."""
        found: np.ndarray = np.array([*of_kinds, NO_LABEL], np.int64)[self.ids]
        return found

    def take(self, indices: Sequence[int] | np.ndarray) -> Self:
        """Those of some of the titles."""
        return type(self)(self.kinds, self.ids[np.asarray(indices, np.int64)])
