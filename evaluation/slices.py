"""How often a model is right in parts of the titles: by newsroom and length, or month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from titles import LabelledTitles

_STEPS = (12, 25, 30)
"""Characters from which on a title is in the next bin."""
LENGTHS = ("up to 11", "12 to 24", "25 to 29", "30 and more")


@dataclass(frozen=True)
class Slice:
    """Some titles in scope.

    Attributes:
        right: the share that a model gets right.
        interval: of that share, 95 %, by Wilson's score.
    """

    part: str
    newsroom: str
    titles: int
    right: float
    interval: tuple[float, float]


ALL = "all"
"""The newsroom of a slice of all titles."""


def slices(
    hits: np.ndarray, parts: Sequence[str | None], order: Sequence[str], data: LabelledTitles
) -> list[Slice]:
    """A slice for each part in each newsroom that has titles in it, and in all of them.

    Args:
        hits: (n,) bool, the titles that a model gets right.
        parts: in which part each title is; None: in none.
        order: of the parts.
    """
    part_of, newsroom_of = np.array([part or "" for part in parts]), _newsroom_names(data)
    found = []
    for part in order:
        inside = data.in_scope & (part_of == part)
        for newsroom in (ALL, *data.by_newsroom.newsrooms):
            rows = inside if newsroom == ALL else inside & (newsroom_of == newsroom)
            if rows.any():
                count, share = int(rows.sum()), float(hits[rows].mean())
                found.append(Slice(part, newsroom, count, share, wilson(share, count)))
    return found


def lengths_of(titles: Sequence[str]) -> list[str]:
    """Which of `LENGTHS` each title has, in characters."""
    return [LENGTHS[int(np.searchsorted(_STEPS, len(title), side="right"))] for title in titles]


def months_of(data: LabelledTitles) -> list[str | None]:
    """The month of each title, `2026-06`, where its date is known."""
    return [date and date[:7] for date in data.dates or [None] * len(data)]


def wilson(share: float, titles: int) -> tuple[float, float]:
    """The 95 % interval of a share of so many titles (Wilson 1927)."""
    z = 1.959964
    middle = share + z**2 / (2 * titles)
    half = z * ((share * (1 - share) + z**2 / (4 * titles)) / titles) ** 0.5
    below = 1 + z**2 / titles
    return max(0.0, (middle - half) / below), min(1.0, (middle + half) / below)


def _newsroom_names(data: LabelledTitles) -> np.ndarray:
    labels = data.by_newsroom
    names: np.ndarray = np.array([*labels.newsrooms, ""])[labels.newsroom_ids]
    return names
