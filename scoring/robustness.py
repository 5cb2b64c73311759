"""Does a model change its mind where only the form of a title changes?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from titles.forms import PROBES

Score = Callable[[Sequence[str]], np.ndarray]
"""Titles to (n, classes) probabilities."""


@dataclass(frozen=True)
class FormFlips:
    """What a change of form does to a model's answers.

    Attributes:
        titles: those that the change changes.
        flipped: share of these whose class is another then.
    """

    form: str
    titles: int
    flipped: float


def form_flips(score: Score, titles: Sequence[str]) -> list[FormFlips]:
    """A row for each change in `titles.forms.PROBES` that some of the titles can undergo."""
    before = score(titles).argmax(axis=1)
    found = []
    for name, change in PROBES.items():
        other = [change(title) for title in titles]
        rows = [i for i, title in enumerate(titles) if other[i] != title]
        if rows:
            after = score([other[i] for i in rows]).argmax(axis=1)
            found.append(FormFlips(name, len(rows), float((after != before[rows]).mean())))
    return found
