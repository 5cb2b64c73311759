"""Faults of the file system, and interrupts, at each step that a command takes in a folder.

A step is whatever Python tells its audit hooks of files: open, list, make, rename, remove, connect
to a database; and every fsync.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_EVENTS = re.compile(
    r"open|sqlite3\.connect|os\.(listdir|scandir|mkdir|rename|remove|rmdir|link|symlink|truncate)"
)
NUMBERS = (
    errno.ENOSPC, errno.EACCES, errno.EROFS, errno.ENAMETOOLONG, errno.ENOENT, errno.EIO,
)  # fmt: skip
"""Full, forbidden, read-only, a name that is too long, vanished meanwhile, broken."""

_watch: Callable[[str], None] | None = None


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _watch is None or not _EVENTS.fullmatch(event):
        return
    if isinstance(args[0], str | bytes | os.PathLike):
        _watch(os.fsdecode(args[0]))


sys.addaudithook(_hook)  # for ever, as there is no way to take one away


class Steps:
    """Counts the steps below a folder, and ends the run at one of them.

    Attributes:
        taken: how many there were so far, from 1.
        hit: where the run was ended; None where it was not.
    """

    def __init__(self, root: Path, number: int, fault: BaseException | None):
        self._root, self._number, self._fault = f"{root}/", number, fault
        self._thread = threading.get_ident()
        self.taken = 0
        self.hit: str | None = None

    def __call__(self, path: str) -> None:
        if not path.startswith(self._root) or threading.get_ident() != self._thread:
            return
        self.taken += 1
        if self.taken == self._number and self._fault is not None:
            self.hit = path.removeprefix(self._root)
            if isinstance(self._fault, OSError):
                self._fault.filename = path
            raise self._fault


@contextmanager
def steps(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: int = 0, fault: BaseException | None = None
) -> Iterator[Steps]:
    """Within the block, the step of that number in the folder, from 1, ends with the fault."""
    global _watch
    watch = Steps(root, number, fault)
    with monkeypatch.context() as disk:
        # nothing here is about a loss of power, and a real one takes milliseconds
        disk.setattr(os, "fsync", lambda open_file: watch(_path_of(open_file)))
        _watch = watch
        try:
            yield watch
        finally:
            _watch = None


def _path_of(open_file: int) -> str:
    return str(Path(f"/proc/self/fd/{open_file}").readlink())


def fault(number: int) -> BaseException:
    """Another one for each number, every third an interrupt."""
    if number % 3 == 0:
        return KeyboardInterrupt()
    code = NUMBERS[number % len(NUMBERS)]
    return OSError(code, os.strerror(code))
