"""What a title must have, a character that a reader sees, and how much room it takes."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple


class Width(NamedTuple):
    """How long a text is."""

    characters: int
    columns: int
    """Of Chinese type: a Chinese character takes two, a Latin one takes one."""


def width(text: str) -> Width:
    """Two columns for what is wide, full-width or ambiguous, as curly quotes are, else one.

    Source: Unicode Standard Annex 11, by which the ambiguous are wide in East Asian text.
    """
    wide = sum(unicodedata.east_asian_width(character) in "WFA" for character in text)
    return Width(len(text), len(text) + wide)


def is_blank(title: str) -> bool:
    """Whether a title is nothing but space, control and format characters (Unicode Z*, Cc, Cf)."""
    return all(_is_invisible(unicodedata.category(character)) for character in title)


def _is_invisible(category: str) -> bool:
    return category[0] == "Z" or category in ("Cc", "Cf")
