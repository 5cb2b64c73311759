"""Traditional characters as their simplified twins, for `clean` and for tokenizers' files alike.

A file can hold a table of characters and a few patterns (`WORDS`), but not OpenCC's dictionary of
words. So the table is what OpenCC makes of each character alone, and both read titles by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import opencc

from models.charsmap import charsmap

WORDS = (
    ("乾(?![隆坤昆县州元清嘉陵卦象道照])(?<!康乾)", "干"),
    ("吒(?<![哪木金]吒)", "咤"),
    ("著(?![名作称述书录者协译])(?<![名显原土巨专编昭卓遗译所拙]著)", "着"),
    ("瞭(?!望)", "了"),
    ("藉(?<![慰狼蕴枕酝藉]藉)(?!藉)", "借"),
    ("覆(?<=[回答批反重函]覆)", "复"),
    ("沈(?=[默重没浸思溺迷睡闷沦寂船淀积])", "沉"),
    ("炼(?<=[项手锁拉铁]炼)", "链"),
    ("画(?<=计画)(?<![设统会合]计画)", "划"),
)
"""Patterns in what the table leaves, and what replaces them: characters that a word decides."""

_MORE = dict(zip("甦揹暱伕敍枱粧糭衞衹痺睪簷甯", "苏背昵夫叙台妆粽卫只痹睾檐宁", strict=True))
"""What OpenCC turns in words alone, when it reads the standards of Hong Kong and Taiwan, or only
the other way, as the name 甯."""
_PATTERNED = frozenset(pattern[0] for pattern, _ in WORDS)
_HAN = [*map(chr, [*range(0x3400, 0xA000), *range(0x20000, 0x33480)])]


def simplify(text: str) -> str:
    """The text in simplified characters; those stay as they are."""
    text = text.translate(_translation())
    for pattern, replacement in _patterns():
        text = pattern.sub(replacement, text)
    return text


def may_change(character: str) -> bool:
    """Whether `simplify` replaces a character, alone or beside others."""
    return character in _PATTERNED or character in simplified()


@cache
def simplified() -> Mapping[str, str]:
    """Each character that is written otherwise in simplified Chinese, to how it is."""
    converted: list[str] = opencc.OpenCC("t2s").convert("\n".join(_HAN)).split("\n")
    pairs = zip(_HAN, converted, strict=True)
    table = _MORE | {character: to for character, to in pairs if character != to}
    return {each: table.get(to, to) for each, to in table.items() if each not in _PATTERNED}


@cache
def simplified_charsmap() -> bytes:
    """`simplified` in the form of tokenizers' files."""
    return charsmap(simplified())


@cache
def _translation() -> dict[int, str]:
    return str.maketrans(dict(simplified()))


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in WORDS]
