"""The console as it is: of another encoding, closed, full, or with nobody who reads it."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from models.errors import FileError


def prepare_console() -> None:
    """Print what the console's encoding lacks as an escape; read nothing from a closed input.

    Raises:
        FileError: standard output is closed, so that a result would be lost.
    """
    if sys.stderr is None:  # else what is printed to it would go to standard output
        sys.stderr = _nowhere("w")
    if sys.stdin is None:
        sys.stdin = _nowhere("r")
    if sys.stdout is None:
        sys.stdout = _nowhere("w")
        raise FileError("standard output is closed; send it somewhere, such as to a file")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def to_json(value: Any, file: TextIO, indent: int | None = None) -> str:
    """JSON as the file's encoding can hold it: in ASCII alone where it lacks a character."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(file.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def is_of_printing(error: OSError) -> bool:
    """Whether it came of printing to standard output: what goes to a file is told with its name."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EBADF)
    return error.filename is None and error.errno in numbers


def give_up_output() -> None:
    """Drop what was printed and cannot be written: Python would try again when it exits."""
    with suppress(OSError, ValueError):  # of a stream that is no file
        descriptor = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _nowhere(mode: str) -> Any:
    return Path(os.devnull).open(mode, encoding="utf-8")
