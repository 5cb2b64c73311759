"""Lines end at the line feed alone, and all bytes of a file are told as they are read."""

import io
import sys
from pathlib import Path

import pytest

from models.errors import DataError
from titles import Source
from titles.byte_lines import byte_lines

CONTENT = "\ufeff甲\r\n\n乙\x85\u2028丙".encode()
LINES = ["甲\r\n".encode(), b"\n", "乙\x85\u2028丙".encode()]


@pytest.mark.parametrize("watched", [False, True])
def test_lines_are_those_between_line_feeds(tmp_path: Path, watched: bool):
    (tmp_path / "a.txt").write_bytes(CONTENT)
    seen = bytearray()

    found = list(byte_lines(Source(tmp_path / "a.txt"), seen.extend if watched else None))

    assert found == LINES
    assert seen == (CONTENT if watched else b"")


def test_a_file_larger_than_what_is_read_at_once_is_told_once(tmp_path: Path):
    content = b"".join(b"%d\n" % number for number in range(400_000))
    (tmp_path / "a.txt").write_bytes(content)
    seen = bytearray()

    found = list(byte_lines(Source(tmp_path / "a.txt"), seen.extend))

    assert b"".join(found) == content == bytes(seen)


def test_standard_input_is_told_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONTENT)))
    seen = bytearray()

    assert list(byte_lines(Source("-"), seen.extend)) == LINES
    assert seen == CONTENT


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path):
    with pytest.raises(DataError, match=r"a\.txt: cannot be opened: No such file"):
        next(byte_lines(Source(tmp_path / "a.txt")))
