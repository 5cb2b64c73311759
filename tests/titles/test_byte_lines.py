"""Lines end at the line feed alone, and all bytes of a file are told as they are read."""

import io
import sys
from pathlib import Path

import pytest

from models.errors import DataError
from titles import Source
from titles.byte_lines import ByteLines

CONTENT = "\ufeff甲\r\n\n乙\x85\u2028丙".encode()
LINES = ["甲\r\n".encode(), b"\n", "乙\x85\u2028丙".encode()]


@pytest.mark.parametrize("watched", [False, True])
def test_lines_are_those_between_line_feeds(tmp_path: Path, watched: bool):
    (tmp_path / "a.txt").write_bytes(CONTENT)
    seen = bytearray()

    found = list(ByteLines(Source(tmp_path / "a.txt"), seen.extend if watched else None))

    assert found == LINES
    assert seen == (CONTENT if watched else b"")


def test_a_file_larger_than_what_is_read_at_once_is_told_once(tmp_path: Path):
    content = b"".join(b"%d\n" % number for number in range(400_000))
    (tmp_path / "a.txt").write_bytes(content)
    seen = bytearray()

    found = list(ByteLines(Source(tmp_path / "a.txt"), seen.extend))

    assert b"".join(found) == content == bytes(seen)


def test_standard_input_is_told_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONTENT)))
    seen = bytearray()

    assert list(ByteLines(Source("-"), seen.extend)) == LINES
    assert seen == CONTENT


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path):
    with pytest.raises(DataError, match=r"a\.txt: cannot be opened: No such file"):
        next(iter(ByteLines(Source(tmp_path / "a.txt"))))


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "gb18030", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_utf_8_with_the_ends_of_the_file(tmp_path: Path, codec: str, end: str):
    texts = ["国足客场一球小胜\t7", "A股三大指数收涨\t2", "教育部公布时间\t3"]
    content = "".join(text + end for text in texts).encode(codec)
    (tmp_path / "a.txt").write_bytes(content)
    seen = bytearray()

    found = list(ByteLines(Source(tmp_path / "a.txt"), seen.extend))

    assert found == [(text + end).encode() for text in texts]
    assert seen == content


def test_encoding_and_mark_are_told_once_a_line_was_read(tmp_path: Path):
    for codec, encoding, mark in [
        ("utf-8", "UTF-8", b""),
        ("utf-8-sig", "UTF-8", b"\xef\xbb\xbf"),
        ("utf-16", "UTF-16LE", b"\xef\xbb\xbf"),
        ("gbk", "GB18030", b""),
    ]:
        (tmp_path / "a.txt").write_bytes("国足客场一球小胜\n".encode(codec))
        lines = ByteLines(Source(tmp_path / "a.txt"))

        assert list(lines) == ["国足客场一球小胜\n".encode()]
        assert (lines.encoding, lines.mark) == (encoding, mark)


def test_a_large_file_of_carriage_returns_is_split_between_what_is_read_at_once(tmp_path: Path):
    content = b"".join(b"%d\r" % number for number in range(400_000)) + b"end"
    (tmp_path / "a.txt").write_bytes(content)

    found = list(ByteLines(Source(tmp_path / "a.txt")))

    assert len(found) == 400_001
    assert b"".join(found) == content
