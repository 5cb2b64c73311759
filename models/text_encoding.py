"""Which encoding the bytes of a text are in: UTF-8, or what Excel and Windows write instead."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

UTF_8 = "UTF-8"
GB18030 = "GB18030"
"""What GBK and GB2312 are part of: Excel's CSV on Chinese Windows."""

_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "UTF-32LE"),  # begins as that of UTF-16LE does
    (codecs.BOM_UTF32_BE, "UTF-32BE"),
    (codecs.BOM_UTF16_LE, "UTF-16LE"),
    (codecs.BOM_UTF16_BE, "UTF-16BE"),
)
_COMMON_SHARE = 0.8
"""Of the characters, those to expect: of GBK's nearly all are in GB2312, of Big5's two thirds."""
_CHINESE = re.compile("[\u2010-\u2026\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
_LOST_SHARE = 0.01
"""Of all characters, those that may be broken."""


def encoding_of(head: bytes) -> tuple[str, int]:
    """The encoding of a text and the length of its byte order mark, told from its first bytes.

    Whatever is not clearly another is UTF-8, even where some of it cannot be read.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    if not head or (_is_read_by(UTF_8, head) and 4 * head.count(0) < len(head)):
        return UTF_8, 0
    return _wide(head) or (GB18030 if _is_gb18030(head) else UTF_8), 0


def decode(content: bytes) -> str:
    """A whole text, without its byte order mark.

    Raises:
        UnicodeDecodeError: it is broken, or in an encoding that cannot be told.
    """
    encoding, mark = encoding_of(content)
    return content[mark:].decode(encoding)


def read_text(path: Path) -> str:
    """A whole file as `decode` reads it, with one kind of line end, whichever system wrote it.

    Raises:
        OSError, UnicodeDecodeError: it cannot be read.
    """
    return decode(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: what it says is ASCII and Chinese, not from all over Unicode."""
    if 0 not in head:
        return None
    for name in ("UTF-16LE", "UTF-16BE"):
        text = head[: len(head) // 2 * 2].decode(name, "replace")
        known = sum("\x09" <= each <= "\x7e" or bool(_CHINESE.match(each)) for each in text)
        if known >= _COMMON_SHARE * len(text):
            return name
    return None


def _is_gb18030(head: bytes) -> bool:
    lines = [line for line in head.split(b"\n") if not line.isascii()]
    if 2 * sum(_is_read_by(UTF_8, line) for line in lines[:-1]) > len(lines):
        return False  # UTF-8 with some broken lines
    text = codecs.getincrementaldecoder(GB18030)("replace").decode(head)
    beyond = [character for character in text if not character.isascii()]
    common = sum(_is_in_gb2312(character) for character in beyond)
    return common >= _COMMON_SHARE * len(beyond) and text.count("\ufffd") <= _LOST_SHARE * len(text)


def _is_in_gb2312(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return character in "·—"  # GBK's, where Python's GB2312 has others
    return True


def _is_read_by(encoding: str, content: bytes) -> bool:
    """Whether the bytes can be decoded; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder(encoding)("strict").decode(content)
    except UnicodeDecodeError:
        return False
    return True
