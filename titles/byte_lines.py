"""Lines of a file as UTF-8 bytes, split on the line feed alone (on Mac files, the carriage return).

`str.splitlines` and text mode also split on U+0085, U+2028 and others, which titles copied from the
web do contain: every later line number, and every later row, would be wrong.
"""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from models.errors import DataError, MissingDependency
from models.text_encoding import UTF_8, encoding_of
from titles.record import Fault
from titles.source import Source

Seen = Callable[[bytes | memoryview], object]
"""Told the bytes of a file as they are read, such as the `update` of a hash."""

_CHUNK_BYTES = 1 << 20


class ByteLines:
    """The lines of a file or of standard input as UTF-8, each with its line end.

    What is clearly UTF-16 or GB18030, as Excel writes them, is read as such; a character that is
    broken in these becomes U+FFFD. What is broken in UTF-8 stays as it is.

    Args:
        seen: told all bytes of the file, once each and in their order, by the last line.
        encoding: where it is known, as of a piece of a file; else the first bytes tell.
    Attributes:
        encoding: in which the file is; known with the first line.
        mark: the byte order mark that a copy in UTF-8 begins with; empty where the file has none.
    Raises:
        DataError: the file cannot be opened.
    """

    encoding: str = UTF_8
    mark: bytes = b""

    def __init__(self, source: Source, seen: Seen | None = None, encoding: str | None = None):
        self._source, self._seen, self._known = source, seen, encoding

    def __iter__(self) -> Iterator[bytes]:
        with _opened(self._source) as file:
            head = file.read1(_CHUNK_BYTES)  # of a pipe, what is there
            self.encoding, mark = encoding_of(head)
            if self._known is not None and self._known != self.encoding:
                self.encoding, mark = self._known, 0
            self.mark = codecs.BOM_UTF8 if mark else b""
            if self._seen is not None:
                self._seen(head)
            rest = _Rest(head[mark:], file, self._seen, self.encoding)
            yield from _lines(io.BufferedReader(rest, _CHUNK_BYTES))


def write_copy(target: Path, lines: ByteLines, kept: Iterator[bytes]) -> None:
    """Write what is kept of some lines, in UTF-8, with the byte order mark that they have."""
    with target.open("wb") as file:
        first = next(kept, b"")  # with it, the mark is known
        file.write(lines.mark + first)
        file.writelines(kept)


def broken_encoding(error: UnicodeDecodeError) -> Fault:
    """The fault of a line that is not UTF-8."""
    byte = error.object[error.start]
    return Fault("broken-encoding", f"byte {error.start + 1} (0x{byte:02x}) is not UTF-8")


class _Rest(io.RawIOBase):
    """A file of which some was read, in UTF-8; tells the bytes of the rest as they are read."""

    def __init__(self, head: bytes, file: io.BufferedIOBase, seen: Seen | None, encoding: str):
        self._file, self._seen = file, seen
        self._decoder = None
        if encoding != UTF_8:
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = self._as_utf8(head)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            more = self._file.read1(_CHUNK_BYTES)
            if self._seen is not None:
                self._seen(more)
            self._ready = self._as_utf8(more)
            if not more:
                break
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _as_utf8(self, content: bytes) -> bytes:
        return self._decoder.decode(content, not content).encode() if self._decoder else content


def _lines(file: io.BufferedReader) -> Iterator[bytes]:
    start = file.peek(_CHUNK_BYTES)
    if b"\n" in start or b"\r" not in start:
        yield from file
        return
    unfinished = b""
    while chunk := file.read(_CHUNK_BYTES):
        *lines, unfinished = (unfinished + chunk).split(b"\r")
        yield from (line + b"\r" for line in lines)
    if unfinished:
        yield unfinished


def is_url(path: str | Path) -> bool:
    """Whether it is one that fsspec opens, such as s3://bucket/titles.csv."""
    return "://" in str(path)


def opened(path: str | Path) -> BinaryIO:
    """A file to be read, on this machine or behind a URL.

    Raises:
        OSError: it cannot be.
        MissingDependency: a URL, and fsspec is not installed.
    """
    if not is_url(path):
        return Path(path).open("rb")
    try:
        import fsspec
    except ImportError as error:
        raise MissingDependency("fsspec", "scale") from error
    return cast(BinaryIO, fsspec.open(str(path), "rb").open())


@contextmanager
def _opened(source: Source) -> Iterator[io.BufferedIOBase]:
    if source.is_stdin:
        yield cast(io.BufferedIOBase, sys.stdin.buffer)
        return
    try:
        file = opened(source.path)
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", source.path) from error
    with file:
        yield cast(io.BufferedIOBase, file)
