"""Write beside, then swap: a file or a folder is whole or absent, never half, whenever a run ends.

What is new is written in a workspace beside its place and reaches the disk before it takes the
name. A file does so in one rename. So does a folder, unless one stands there: that one moves aside
into the workspace first, and comes back if the new one fails to follow. A run that dies between the
two renames leaves both there, whole, and the next one to write to that name puts the old one back.
Files that belong together in a folder that holds others, too, take their names one after the other
once all are on the disk; whoever is ended between two of them, or comes after, goes on to the last.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from models.errors import FileError
from models.workspace import NEW, OLD, READY, open_workspace, place_ready

AMONG = "files"
"""What the workspace of `staged_files` is called after, in the folder itself."""
_FULL = os.strerror(errno.ENOSPC)


@contextmanager
def staged_file(path: Path) -> Iterator[Path]:
    """A neighbouring path to write to; it replaces `path` when the block ends without an error.

    A link is followed; a pipe or a device, which has nothing to lose, is written as it is.

    Raises:
        FileError: `path` is a folder or cannot be written.
    """
    with explained(path):
        if path.is_dir():
            raise FileError(f"{path} is a folder, and a file is to be written; name one in it")
        if path.exists() and not path.is_file():
            yield path
            return
        target = Path(os.path.realpath(path))
        with open_workspace(target) as workspace:
            new = workspace / NEW
            with _room_to_write(workspace):
                yield new
            _sync(new)
            new.replace(target)
            _sync(target.parent)


@contextmanager
def staged_folder(folder: Path) -> Iterator[Path]:
    """A neighbouring empty folder to fill; it replaces `folder` when the block ends well.

    A link is followed.

    Raises:
        FileError: `folder` is a file or cannot be written.
    """
    with explained(folder):
        if is_no_folder(folder):
            raise FileError(f"{folder} is a file, and a folder is to be written; name another")
        target = Path(os.path.realpath(folder))
        with open_workspace(target) as workspace:
            new = workspace / NEW
            new.mkdir()
            with _room_to_write(workspace):
                yield new
            _sync_all(new)
            _sync(target.parent)
            _swap(new, target, workspace / OLD)
            _sync(target.parent)


@contextmanager
def staged_files(folder: Path) -> Iterator[Path]:
    """An empty folder to fill with files, which take their places in `folder` when the block ends.

    What else lies there stays. The folder may be a mount point.

    Raises:
        FileError: `folder` is a file or cannot be written.
    """
    with explained(folder), open_workspace(folder / AMONG) as workspace:
        new = workspace / NEW
        new.mkdir()
        with _room_to_write(workspace):
            yield new
        _sync_all(new)
        new.rename(workspace / READY)
        place_ready(workspace)
        _sync(folder)


def is_no_folder(path: Path) -> bool:
    """Whether something else has the name: one look, as another run may just move it aside."""
    try:
        return not stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def try_out(path: Path) -> None:
    """Find out before the work whether a file or folder can be written, and leave it as it is.

    What a dead run left beside it is cleared, too.

    Raises:
        FileError: nothing can be written there, or nothing more.
    """
    with explained(path), open_workspace(Path(os.path.realpath(path))) as workspace:
        _write_more(workspace)


@contextmanager
def _room_to_write(workspace: Path) -> Iterator[None]:
    """Tell that the disk is full where a library has an error of its own for that.

    torch speaks of an unexpected position; safetensors removes what it has written at once.
    """
    try:
        yield
    except FileError:  # of an output within this one's block
        raise
    except Exception as error:
        if _FULL in str(error):
            raise OSError(errno.ENOSPC, _FULL) from error
        _write_more(workspace)
        raise


def _write_more(workspace: Path) -> None:
    more = workspace / "more"
    more.write_bytes(bytes(4096))
    _sync(more)


def _swap(new: Path, target: Path, aside: Path) -> None:
    while True:
        with suppress(FileNotFoundError):
            target.rename(aside)
        try:
            new.rename(target)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        shutil.rmtree(aside, ignore_errors=True)  # another run has just put its own there


def _sync_all(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            _sync_all(path)
        else:
            _sync(path)
    _sync(folder)


def _sync(path: Path) -> None:
    """Wait until the disk has a file's content, or a folder's names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # what file systems say that cannot sync a folder
            raise
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Within the block what the system says against writing `path` is raised as a FileError."""
    try:
        yield
    except OSError as error:
        raise FileError.unwritable(path, error) from error
