"""Every error that biaoti raises on purpose, as one tree.

BiaotiError
├── UsageError            an option or an argument that cannot be used
├── FileError             a file or a folder that cannot be read or written
├── DataError             a row or a file of titles that cannot be used: says where
├── ArtifactError         a model folder that cannot be trusted
│   ├── CorruptArtifact   a file is missing, changed or unreadable
│   └── ProbeMismatch     the files are whole, but the model answers otherwise here
├── PretrainedError       a pretrained encoder that cannot be resolved or read
├── MissingDependency     an optional package is not installed
├── GateFailed            a compressed model has lost more accuracy than allowed
├── EndpointError         a model behind an endpoint that does not answer, or costs too much
└── ShapeError            tensors whose shapes do not fit (also a ValueError)
"""

from __future__ import annotations

import errno
from pathlib import Path

_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space, or choose another place"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS),
        "make it and the folder it lies in writable, or choose another place",
    ),
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EBUSY: "it is in use, perhaps as a mount point; choose a folder inside it",
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EEXIST),
        "a file stands where a folder is needed; choose another place",
    ),
}
"""What to do about an error of the system in writing, by its number."""
_REMEDIES_IN_ANY_USE = _REMEDIES | {
    **dict.fromkeys((errno.EACCES, errno.EPERM), "give your user the rights to it"),
    errno.EISDIR: "it is a folder; name a file in it",
    errno.ENOTDIR: "it is a file; name a folder",
    errno.ENOENT: "it was removed meanwhile, or never was there",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
}


class BiaotiError(Exception):
    """Base of the tree; the command line prints its message and exits with `exit_code`."""

    exit_code = 1


class UsageError(BiaotiError):
    """An option or an argument that cannot be used as given."""

    exit_code = 2


class FileError(BiaotiError):
    """A file or a folder that cannot be read or written: names it, the cause and the remedy."""

    exit_code = 8

    @classmethod
    def of(cls, cause: OSError) -> FileError:
        """What the system says, of the file that it names, and what to do about it."""
        if cause.filename is None:
            return cls(f"the system refuses: {cause.strerror or cause}")
        remedy = _REMEDIES_IN_ANY_USE.get(cause.errno or 0, "look whether its disk is well")
        return cls(f"{cause.filename}: {cause.strerror or cause}; {remedy}")

    @classmethod
    def unwritable(cls, path: Path, cause: OSError) -> FileError:
        """What the system says of an attempt to write `path`, and what to do about it."""
        remedy = _REMEDIES.get(cause.errno or 0, "choose another place")
        told = cause.strerror or str(cause)
        if cause.filename and path.name not in str(cause.filename):  # of what goes into it
            told += f": {cause.filename}"
        return cls(f"{path} cannot be written ({told}); {remedy}")


class DataError(BiaotiError):
    """A file of titles, or a row in it, that cannot be used.

    It reads `file:line: what is wrong; how to fix it`; `message` is that without the place.
    """

    exit_code = 3

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None):
        where = "" if path is None else f"{path}:{line}: " if line else f"{path}: "
        super().__init__(where + message)
        self.message = message
        self.path = path
        self.line = line


class ArtifactError(BiaotiError):
    """A model folder that cannot be trusted or read."""

    exit_code = 4


class CorruptArtifact(ArtifactError):
    """A file of the artifact is missing, changed or unreadable."""


class ProbeMismatch(ArtifactError):
    """The artifact is whole, but the model scores its probe titles differently on this machine."""


class PretrainedError(BiaotiError):
    """A pretrained encoder that cannot be resolved or read."""

    exit_code = 5


class MissingDependency(BiaotiError):
    """A package that only some routes need is not installed."""

    exit_code = 6

    def __init__(self, package: str, extra: str):
        super().__init__(
            f"this needs the package '{package}', which is not installed; "
            f"install it with: pip install 'biaoti[{extra}]'"
        )
        self.package = package
        self.extra = extra


class GateFailed(BiaotiError):
    """A compressed model has lost more accuracy than allowed, and is not written."""

    exit_code = 7


class EndpointError(BiaotiError):
    """A model behind an endpoint does not answer, refuses, or would cost more than it may."""

    exit_code = 9


class ShapeError(BiaotiError, ValueError):
    """Tensors whose shapes do not fit; the message names both shapes."""
