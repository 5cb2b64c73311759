"""What a title must have: at least one character that a reader sees."""

from __future__ import annotations

import unicodedata


def is_blank(title: str) -> bool:
    """Whether a title is nothing but space, control and format characters (Unicode Z*, Cc, Cf)."""
    return all(_is_invisible(unicodedata.category(character)) for character in title)


def _is_invisible(category: str) -> bool:
    return category[0] == "Z" or category in ("Cc", "Cf")
