"""Write to a neighbour, then rename: a file or a folder is whole or absent, never half."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def staged_file(path: Path) -> Iterator[Path]:
    """A neighbouring path to write to; it replaces `path` when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    neighbour = path.with_name(f".{path.name}.{os.getpid()}.writing")
    try:
        yield neighbour
        neighbour.replace(path)
    finally:
        neighbour.unlink(missing_ok=True)


@contextmanager
def staged_folder(folder: Path) -> Iterator[Path]:
    """A neighbouring empty folder to fill; it replaces `folder` when the block ends well.

    A folder that stood there before is moved aside and removed last, so that at no moment a
    half-written one carries the name.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    neighbour = folder.with_name(f".{folder.name}.{os.getpid()}.writing")
    replaced = folder.with_name(f".{folder.name}.{os.getpid()}.replaced")
    shutil.rmtree(neighbour, ignore_errors=True)
    neighbour.mkdir()
    try:
        yield neighbour
        if folder.exists():
            folder.replace(replaced)
        neighbour.replace(folder)
    finally:
        shutil.rmtree(neighbour, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)
