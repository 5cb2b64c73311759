"""A table of characters in the form that `tokenizers.normalizers.Precompiled` reads.

That is SentencePiece's `precompiled_charsmap`: the size of a trie in bytes (little-endian, 32
bits), the trie over the characters' UTF-8 as a double array, and the replacements, each ended by a
NUL. A unit of the array holds its byte (bits 0 to 7), whether a character ends there (bit 8), and
its place XOR the base of what follows (bits 10 to 30). What follows by a byte stands at base XOR
byte; at the base itself stands where the replacement begins, with bit 31 set.

Source: S. Yata, darts-clone, https://github.com/s-yata/darts-clone.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Mapping

_BLOCK = 256
"""The array grows by blocks, so that no byte leads out of it."""


def charsmap(table: Mapping[str, str]) -> bytes:
    """The table as bytes.

    Args:
        table: single characters, not NUL, to what replaces them.
    """
    replacements = bytearray()
    begins: dict[str, int] = {}
    for replacement in table.values():
        if replacement not in begins:
            begins[replacement] = len(replacements)
            replacements += replacement.encode() + b"\0"
    trie = _double_array({key.encode(): begins[by] for key, by in table.items()})
    return struct.pack(f"<I{len(trie)}I", 4 * len(trie), *trie) + bytes(replacements)


def _double_array(values: Mapping[bytes, int]) -> list[int]:
    following: dict[bytes, set[int]] = defaultdict(set)
    for key in values:
        for length, byte in enumerate(key + b"\0"):
            following[key[:length]].add(byte)
    units = [0] * _BLOCK
    free, bases = dict.fromkeys(range(1, _BLOCK)), set[int]()
    places = {b"": 0}
    for prefix in sorted(following, key=len):
        place, labels = places[prefix], following[prefix]
        while (base := _first_base(free, bases, labels)) is None:
            free |= dict.fromkeys(range(len(units), len(units) + _BLOCK))
            units += [0] * _BLOCK
        bases.add(base)
        units[place] |= (base ^ place) << 10 | (0 in labels) << 8
        for byte in labels:
            del free[base ^ byte]
            units[base ^ byte] = byte or 1 << 31 | values[prefix]
            places[prefix + bytes([byte])] = base ^ byte
    return units


def _first_base(free: Mapping[int, None], bases: set[int], labels: set[int]) -> int | None:
    """Where all that follows finds room. A base is one prefix's alone, or theirs would be mixed."""
    first = min(labels)
    found = (place ^ first for place in free if place ^ first not in bases)
    return next((base for base in found if all(base ^ byte in free for byte in labels)), None)
