"""When two titles are the same but for case, spaces, punctuation and what readers do not see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from models.title_text import clean


class _Drop(dict[int, int | None]):
    """A table for `str.translate` that drops characters by the first letter of their category."""

    def __init__(self, initials: str):
        super().__init__()
        self.initials = initials

    def __missing__(self, code_point: int) -> int | None:
        category = unicodedata.category(chr(code_point))
        # Cc and Cf are control and format characters; Co, Cn and Cs may be all a title has.
        dropped = category[0] in self.initials or category in ("Cc", "Cf")
        self[code_point] = None if dropped else code_point
        return self[code_point]


_SPACES = _Drop("Z")
_SPACES_AND_PUNCTUATION = _Drop("ZP")


class _Combines(Exception):
    """A character may change the one before it, so the title has to be folded as a whole."""


class _Normal(dict[str, str]):
    """What a character that stands for itself becomes, found when it is first asked for."""

    def __missing__(self, character: str) -> str:
        first = unicodedata.normalize("NFKD", character)[0]
        if unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff":
            raise _Combines  # marks, and vowels and finals of Hangul: nothing else combines
        self[character] = _fold(character).translate(_SPACES_AND_PUNCTUATION)
        return self[character]


_NORMAL = _Normal()
_OTHER = re.compile("[^\u4e00-\u9fff0-9a-z]")
"""What normalising may change: anything but common Chinese characters and plain ASCII."""


def normalise(title: str) -> str:
    """What models read of the title, case-folded, without white space and punctuation.

    Symbols (`+`, `$`, `℃`) stay: they are not punctuation, and they change what a title says.
    """
    title = clean(title)
    try:  # the same, four times as fast
        return _OTHER.sub(lambda other: _NORMAL[other[0]], title)
    except _Combines:
        return _fold(title).translate(_SPACES_AND_PUNCTUATION)


def comparison_key(title: str) -> str:
    """What two equal titles share: `normalise`, or the signs of a title made of nothing else."""
    return normalise(title) or _fold(title).translate(_SPACES)


def digest(text: str) -> bytes:
    """8 bytes that stand for a text, the same in every process (as Python's `hash` is not)."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def leaked(titles: Sequence[str], against: Iterable[str]) -> np.ndarray:
    """Which titles stand in another split, exactly or after `normalise`.

    Args:
        titles: n titles, those of a test split for example.
        against: the titles of the other split; only a hash of each is held.
    Returns:
        (n,) bool.
    """
    seen = {hash(comparison_key(title)) for title in against}
    return np.fromiter((hash(comparison_key(title)) in seen for title in titles), bool)


def distinct_titles(titles: Iterable[str], held_out: Iterable[str]) -> list[str]:
    """The titles, each once and in a fixed order, without those that leak from `held_out`."""
    distinct = sorted(set(titles))
    return [t for t, out in zip(distinct, leaked(distinct, held_out), strict=True) if not out]


def _fold(title: str) -> str:
    return unicodedata.normalize("NFKC", title).casefold()
