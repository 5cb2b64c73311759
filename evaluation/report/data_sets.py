"""The titles of a report, in short: of each newsroom how many, and of what time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from titles import LabelledTitles


@dataclass(frozen=True)
class DataSet:
    """The titles of one newsroom, or of one plain file.

    Attributes:
        titles: all of them.
        outside: those of no class.
        first, last: dates, where some are known.
    """

    name: str
    titles: int
    outside: int
    first: str | None
    last: str | None

    @property
    def words(self) -> str:
        """`weibo_hot 4,411 titles (1,203 of no class), 2026-06-01 to 2026-07-31`."""
        told = f"{self.name} {self.titles:,} titles"
        if self.outside:
            told += f" ({self.outside:,} of no class)"
        if self.first is None:
            return told
        return f"{told}, {self.first} to {self.last}" if self.first != self.last else told


def data_sets(data: LabelledTitles) -> list[DataSet]:
    """One for each newsroom, in their order."""
    labels, dates = data.by_newsroom, data.dates or [None] * len(data)
    found = []
    for place, name in enumerate(labels.newsrooms):
        rows = np.flatnonzero(labels.newsroom_ids == place).tolist()
        known = sorted(date for i in rows if (date := dates[i]))
        outside = int((~data.in_scope)[rows].sum())
        first, last = (known[0], known[-1]) if known else (None, None)
        found.append(DataSet(name, len(rows), outside, first, last))
    return found
