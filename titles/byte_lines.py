"""Lines of a file as bytes, split on the line feed alone.

`str.splitlines` and text mode also split on U+0085, U+2028 and others, which titles copied from the
web do contain: every later line number, and every later row, would be wrong.
"""

from __future__ import annotations

import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from models.errors import DataError
from titles.record import Fault
from titles.source import Source


def byte_lines(source: Source) -> Iterator[bytes]:
    """The lines of a file or of standard input, each with its line feed, without the UTF-8 BOM.

    Raises:
        DataError: the file cannot be opened, or is UTF-16.
    """
    with _opened(source) as file:
        first = next(file, b"")
        if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise DataError("the file is UTF-16; save it as UTF-8", source.path, 1)
        if first:
            yield first.removeprefix(BOM_UTF8)
        yield from file


def broken_encoding(error: UnicodeDecodeError) -> Fault:
    """The fault of a line that is not UTF-8."""
    byte = error.object[error.start]
    return Fault("broken-encoding", f"byte {error.start + 1} (0x{byte:02x}) is not UTF-8")


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    if source.is_stdin:
        yield sys.stdin.buffer
        return
    try:
        file = Path(source.path).open("rb")  # noqa: SIM115 - closed by the with below
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", source.path) from error
    with file:
        yield file
