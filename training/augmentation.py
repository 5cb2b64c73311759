"""Titles in another form, so that a model learns what they are about and not how they look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from titles.forms import FORMS, changed

Tokenize = Callable[[Sequence[str]], list[list[int]]]


class TitleRows:
    """The tokens of n titles and, if they are read in other forms, too (`titles.forms`), of those.

    Row i is title i as it is, row n + i the same title in one other form; what it is called and
    what a teacher says of it stay. Which reading is of which row, the batches draw.

    Args:
        tokenize: titles to ids.
        in_other_forms: whether there are the other n rows.
        seed: of the other forms.
    """

    def __init__(self, titles: Sequence[str], tokenize: Tokenize, in_other_forms: bool, seed: int):
        self.titles = len(titles)
        self.rows = tokenize(titles)
        if in_other_forms:
            self.rows += tokenize(changed(titles, list(FORMS), seed))

    @property
    def lengths(self) -> list[int]:
        """Tokens of each row."""
        return [len(row) for row in self.rows]

    def __call__(self, indices: Sequence[int]) -> list[list[int]]:
        """The tokens of these rows."""
        return [self.rows[i] for i in indices]

    def titles_of(self, indices: Sequence[int]) -> list[int]:
        """Which titles these rows are of."""
        return [i % self.titles for i in indices]
