"""When two titles are the same but for width, case, spaces and punctuation."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np


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


def normalise(title: str) -> str:
    """The title in NFKC width, case-folded, without white space, punctuation, control characters.

    Symbols (`+`, `$`, `℃`) stay: they are not punctuation, and they change what a title says.
    """
    return _fold(title).translate(_SPACES_AND_PUNCTUATION)


def comparison_key(title: str) -> str:
    """What two equal titles share: `normalise`, or the signs of a title made of nothing else."""
    folded = _fold(title)
    return folded.translate(_SPACES_AND_PUNCTUATION) or folded.translate(_SPACES)


def digest(text: str) -> bytes:
    """8 bytes that stand for a text.

    Among a million titles two different ones share 64 bits with a chance of 1 in 37 million
    (n²/2⁶⁵), so what is said of equal digests is said of equal titles.
    """
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def leaked(titles: Sequence[str], against: Iterable[str]) -> np.ndarray:
    """Which titles stand in another split, exactly or after `normalise`.

    Args:
        titles: n titles, those of a test split for example.
        against: the titles of the other split; only 8 bytes of each are held.
    Returns:
        (n,) bool.
    """
    seen = {digest(comparison_key(title)) for title in against}
    return np.fromiter((digest(comparison_key(title)) in seen for title in titles), bool)


def _fold(title: str) -> str:
    return unicodedata.normalize("NFKC", title).casefold()
