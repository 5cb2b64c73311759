"""What a model reads of a title, whether anything is there to read, and how much room it takes."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from models.traditional import may_change, simplify


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


@lru_cache(maxsize=4096)  # limits, tokenizer, readability and the store ask for the same titles
def clean(title: str) -> str:
    """The text that every model reads in a title's place, in training and in answering.

    Titles that look alike become one: entities and tags of HTML are read as what they mean,
    invisible characters go, any run of blanks and line breaks is one space and none at the ends,
    full-width forms are plain ones (NFKC), traditional characters simplified ones. It is
    idempotent.
    """
    title = title.translate(_PLAIN_FORMS)
    if _common_text().fullmatch(title):
        return " ".join(title.split())
    while _MARKUP.search(cleaned := _clean_once(title)) and cleaned != title:
        title = cleaned  # an entity may stand for an entity
    return cleaned


def without_markup(title: str) -> str:
    """The title with entities and tags of HTML read as what they mean."""
    if not _MARKUP.search(title):
        return title
    title = _ENTITY.sub(lambda entity: html.unescape(entity[0]), title)
    return _BLOCK_TAG.sub(" ", _INLINE_TAG.sub("", title))


def is_blank(title: str) -> bool:
    """Whether a reader sees nothing of a title."""
    return not clean(title)


@lru_cache(maxsize=4096)  # asked for the confidence and for the answer
def is_readable(title: str) -> bool:
    """Whether a title says something in a script that the models have read.

    It does not if it has neither Chinese characters nor Latin letters, if most of its letters are
    of other scripts, if more is lost than left, or if it is what a wrong encoding or base64 leaves.
    """
    text = clean(title)
    letters = [character for character in text if character.isalpha()]
    known = sum(map(_is_known, letters))
    lost = sum(character in "?\ufffd" for character in text)
    return 0 < len(letters) <= 2 * known and lost <= known and not _GARBLED.search(text)


_PLAIN_FORMS = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5E)} | {0x3000: 0x20}
_MARKUP = re.compile("[&<]")
_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_INLINE = "abbr|a|big|b|cite|code|del|em|font|img|ins|i|label|mark|nobr|q|small|span|strike|strong"
_INLINE += "|sub|sup|s|tt|u|wbr"
_BLOCK = "body|br|center|dd|div|dl|dt|h[1-6]|head|hr|html|li|ol|p|pre|section|table|tbody|td|th|tr"
_BLOCK += "|title|ul"
_TAG = r"(?i:</?(?:{})(?:\s[^<>]*)?/?>)"
_INLINE_TAG = re.compile(_TAG.format(_INLINE) + r"|<!--[^>]*-->|<!\[CDATA\[|\]\]>")
_BLOCK_TAG = re.compile(_TAG.format(_BLOCK))
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters but line breaks, and what Unicode says to ignore where it cannot be shown."""
_FILLER = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Letters and symbols that look like a blank."""
RULES = ((_INLINE_TAG, ""), (_BLOCK_TAG, " "), (_INVISIBLE, ""), (_FILLER, " "))
"""What `clean` replaces by what, for a tokenizer's file."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_GARBLED = re.compile(
    "锟斤拷|烫烫烫|屯屯屯"  # UTF-8 read as GBK; memory that nobody filled
    "|(?:[\xc2-\xf4][\x80-\xbf\u0152-\u02dc\u2013-\u2122]{1,3}){3}"  # UTF-8 read as Latin-1
    "|(?=[a-z+/=]*[A-Z0-9])(?=[A-Z0-9+/=]*[a-z])(?=[A-Za-z+/=]*[0-9])[A-Za-z0-9+/]{20,}={0,2}"
)


def _clean_once(title: str) -> str:
    title = _INVISIBLE.sub("", without_markup(title))
    if not title.isascii():
        title = _SURROGATE.sub("\ufffd", title)
        if not unicodedata.is_normalized("NFKC", title):
            title = unicodedata.normalize("NFKC", title)
        title = _FILLER.sub(" ", title)
        if not _common_text().fullmatch(title):
            title = simplify(title)
    return " ".join(title.replace("~", "～").split())


def _is_known(letter: str) -> bool:
    return letter.isascii() or "\u3400" <= letter <= "\u9fff"


@cache
def _common_text() -> re.Pattern[str]:
    """Text of characters that stand for themselves: ASCII, most marks, simplified Chinese."""
    chinese = map(chr, range(0x4E00, 0xA000))
    same = "".join(character for character in chinese if not may_change(character))
    return re.compile(f"[ -%'-;=-}}“”‘’、。《》—·{same}]*")
