"""The hidden folder in which a run prepares what will take a name, and what dead runs left there.

    .model.1f0c9a2e.writing/
        lock    locked by the run that writes, and by nobody once that run is dead
        new     what will take the name `model`
        old     what had it, from the moment it moves aside until it is removed
        ready   files that are whole and are moving, one by one, to where the workspace lies

A run has a workspace of its own, so two that write to one name do not meet before they take it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TextIO

NEW, OLD, READY, LOCK = "new", "old", "ready", "lock"
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL)
"""From file systems that cannot lock; what a dead run leaves on one is for people to remove."""


@contextmanager
def open_workspace(target: Path) -> Iterator[Path]:
    """A workspace beside `target`, gone when the block ends; what dead runs left is cleared first.

    Where the block ended with `OLD` moved aside and `NEW` not in its place, `OLD` is moved back.
    Where it ended with files in `READY`, they are moved to their places.

    Raises:
        OSError: nothing can be written beside `target`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    recover(target)
    workspace, lock = _make(target)
    with lock or nullcontext():  # else what is cleared by half is locked while this process lives
        try:
            yield workspace
        finally:
            _clear(workspace, target)


def recover(target: Path) -> None:
    """Clear the workspaces that dead runs left beside `target`.

    One that died between two renames is undone; one that had files ready is brought to its end.
    """
    siblings = list(target.parent.iterdir())
    for path in [path for path in siblings if is_workspace(path.name, target.name)]:
        try:
            lock = _lock(path)
        except OSError:  # of a live run, or of one that cannot be told from it: no lock, no rights
            continue
        with lock:
            _clear(path, target)


def is_workspace(name: str, of: str | None = None) -> bool:
    """Whether this is the name of a workspace: of any target, or of that name."""
    found = re.fullmatch(r"\.(.+)\.[0-9a-f]{8}\.writing", name)
    return found is not None and of in (None, found[1])


def place_ready(workspace: Path) -> None:
    """Move every file in `READY` to where the workspace lies, over what has its name there."""
    for path in sorted((workspace / READY).iterdir()):
        path.replace(workspace.parent / path.name)


def _make(target: Path) -> tuple[Path, TextIO | None]:
    while True:
        workspace = target.with_name(f".{target.name}.{secrets.token_hex(4)}.writing")
        workspace.mkdir()
        try:
            return workspace, _lock(workspace)
        except (BlockingIOError, FileNotFoundError):  # another run took it for one left behind
            continue
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return workspace, None


def _lock(workspace: Path) -> TextIO:
    """Lock a workspace until the file is closed, or its process ends in whatever way.

    Raises:
        BlockingIOError: another run has it.
        FileNotFoundError: another run is removing it.
        OSError: it belongs to somebody else, or its file system has no locks.
    """
    lock = (workspace / LOCK).open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(lock.fileno()), (workspace / LOCK).stat()):
            raise FileNotFoundError(workspace / LOCK)
    except BaseException:
        lock.close()
        raise
    return lock


def _clear(workspace: Path, target: Path) -> None:
    """Move `OLD` back where `NEW` has not taken its place, what is ready on; remove the rest."""
    new, old, ready = workspace / NEW, workspace / OLD, workspace / READY
    if ready.exists():
        place_ready(workspace)
    if new.exists() and old.exists() and not os.path.lexists(target):
        old.rename(target)
    shutil.rmtree(workspace, ignore_errors=True)
