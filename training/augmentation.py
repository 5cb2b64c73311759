"""Titles in another form, so that a model learns what they are about and not how they look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from titles.forms import FORMS, changed

Tokenize = Callable[[Sequence[str]], list[list[int]]]


class TitleRows:
    """The tokens of titles, now and then of the same title in another form (`titles.forms`).

    A title has one other form in a run; what it is called and what a teacher says of it stay.

    Args:
        tokenize: titles to ids.
        share: of the readings, those in the other form; 0 = none.
        seed: of the other forms. Which reading is one is drawn from torch's generator, so that an
            interrupted run goes on as it would have.
    """

    def __init__(self, titles: Sequence[str], tokenize: Tokenize, share: float, seed: int):
        self.share = share
        self.rows = tokenize(titles)
        self.others = tokenize(changed(titles, list(FORMS), seed)) if share else []

    @property
    def lengths(self) -> list[int]:
        """Tokens of each title as it is."""
        return [len(row) for row in self.rows]

    def __call__(self, indices: Sequence[int]) -> list[list[int]]:
        """The tokens of these titles, for one reading."""
        if not self.share:
            return [self.rows[i] for i in indices]
        drawn = (torch.rand(len(indices)) < self.share).tolist()
        return [
            (self.others if other else self.rows)[i]
            for i, other in zip(indices, drawn, strict=True)
        ]
