"""Lines of a file as bytes, split on the line feed alone.

`str.splitlines` and text mode also split on U+0085, U+2028 and others, which titles copied from the
web do contain: every later line number, and every later row, would be wrong.
"""

from __future__ import annotations

import io
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from models.errors import DataError
from titles.record import Fault
from titles.source import Source

Seen = Callable[[bytes | memoryview], object]
"""Told the bytes of a file as they are read, such as the `update` of a hash."""

_CHUNK_BYTES = 1 << 20


def byte_lines(source: Source, seen: Seen | None = None) -> Iterator[bytes]:
    """The lines of a file or of standard input, each with its line feed, without the UTF-8 BOM.

    Args:
        seen: told all bytes of the file, once each and in their order, by the last line.
    Raises:
        DataError: the file cannot be opened, or is UTF-16.
    """
    with _opened(source) as file:
        lines = file if seen is None else io.BufferedReader(_Told(file, seen), _CHUNK_BYTES)
        first = next(lines, b"")
        if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise DataError("the file is UTF-16; save it as UTF-8", source.path, 1)
        if first:
            yield first.removeprefix(BOM_UTF8)
        yield from lines


def broken_encoding(error: UnicodeDecodeError) -> Fault:
    """The fault of a line that is not UTF-8."""
    byte = error.object[error.start]
    return Fault("broken-encoding", f"byte {error.start + 1} (0x{byte:02x}) is not UTF-8")


class _Told(io.RawIOBase):
    """A file that tells its bytes as they are read."""

    def __init__(self, file: io.BufferedIOBase, seen: Seen):
        self._file, self._seen = file, seen

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._file.readinto1(buffer)
        self._seen(buffer[:count])
        return count


@contextmanager
def _opened(source: Source) -> Iterator[io.BufferedIOBase]:
    if source.is_stdin:
        yield cast(io.BufferedIOBase, sys.stdin.buffer)
        return
    try:
        file = Path(source.path).open("rb")  # noqa: SIM115 - closed by the with below
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", source.path) from error
    with file:
        yield file
