"""Ask for an output before any work: nothing that was not written by the same kind of verb is lost.

A recipe claims all that it will write as its first step, with all that it reads:

    inputs = [settings.train, settings.dev, settings.teacher]
    claim_folder(settings.output, inputs, force=settings.force)
    claim_folder(run_folder(settings.output), inputs, RUN, settings.force)
    claim_file(settings.predictions, [*inputs, settings.output], PREDICTIONS, settings.force)

`force` replaces what is not known to be ours. It never replaces what is read, the working folder or
the home folder, and never breaks a model by writing into its folder.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from models.errors import ArtifactError, UsageError
from models.litter import BROWSED
from models.manifest import CARD, MANIFEST, Manifest
from models.staging import AMONG, explained, is_no_folder, try_out
from models.workspace import is_workspace, recover


@dataclass(frozen=True)
class OutputKind:
    """What a verb writes, and how that is told from what people keep."""

    name: str
    """As in "it is not …": `a model`."""
    objection: Callable[[Path], str | None]
    """Why a folder or a file, not empty, was not written as this kind; None where it was."""
    in_place: bool = False
    """Files are added to the folder, which is not replaced as a whole."""


def run_folder(output: Path) -> Path:
    """Where an interrupted run goes on from: beside its output."""
    return output.with_name(output.name + ".run")


def lacks(*names: str) -> Callable[[Path], str | None]:
    """The objection that a folder has none of these, one of which a verb's folder always has."""

    def objection(folder: Path) -> str | None:
        found = any((folder / name).exists() for name in names)
        return None if found else f"it has no {' or '.join(names)}"

    return objection


def holds_others(folder: Path, known: Iterable[str]) -> str | None:
    """The objection that a folder holds a file that is not among the known; None without one."""
    others = sorted(files_in(folder) - set(known))
    return f"it also holds {others[0]}" if others else None


def files_in(folder: Path) -> set[str]:
    """The paths of all files and links in it, relative to it, without what nobody misses.

    Raises:
        OSError: a folder in it cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    found = set()
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not _is_litter(name)]
        links = [name for name in folders if Path(place, name).is_symlink()]
        kept = [name for name in names if not _is_litter(name)]
        found |= {Path(place, name).relative_to(folder).as_posix() for name in kept + links}
    return found


def _is_litter(name: str) -> bool:
    return name in BROWSED or is_workspace(name)


def _no_model(folder: Path) -> str | None:
    if not (folder / MANIFEST).is_file():
        return f"it has no {MANIFEST}"
    try:
        manifest = Manifest.read(folder)
    except ArtifactError as error:
        return str(error)
    return holds_others(folder, {MANIFEST, CARD, *manifest.files})


MODEL = OutputKind("a model", _no_model)
"""The folder that `models.artifact.save` writes."""


def claim_folder(
    output: Path,
    inputs: Iterable[Path | str],
    kind: OutputKind = MODEL,
    force: bool = False,
) -> None:
    """Make sure that a folder can be written and that nothing is lost by it.

    Args:
        output: is absent, empty or of this kind; with `force` any folder but those named above.
        inputs: all that is read: files of titles, class lists, models, encoders. Names that are no
            path, of datasets or encoders on the hub, do no harm.
    Raises:
        UsageError: it may not be written; nothing was touched.
        FileError: it cannot be written; nothing was touched.
    """
    with explained(output):
        _refuse_inputs(output, inputs)
        if is_no_folder(output):
            raise UsageError(
                f"{output} is a file, and {kind.name} is a folder; choose another output"
            )
        if output.is_dir() and not os.access(output, os.W_OK):  # nor could it be moved aside
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not kind.in_place:
            _refuse_places(output)
        if kind.in_place and output.is_dir():
            recover(output / AMONG)
        if output.is_dir() and files_in(output) and not force:
            _refuse_others(output, kind)
    try_out(output / AMONG if kind.in_place and output.exists() else output)


def claim_file(
    output: Path,
    inputs: Iterable[Path | str],
    kind: OutputKind | None = None,
    force: bool | None = False,
) -> None:
    """Make sure that a file can be written and that nothing is lost by it.

    Args:
        output: is absent, empty or of this kind; with `force`, or where a verb's files cannot be
            told from others (None), any file. A pipe or a device may be written, too.
        inputs: all that is read, and the other outputs.
        force: None where a person cannot insist, and must remove the file instead.
    Raises:
        UsageError: it may not be written; nothing was touched.
        FileError: it cannot be written; nothing was touched.
    """
    with explained(output):
        if output.is_dir():
            raise UsageError(f"{output} is a folder, and a file is to be written; name one in it")
        if output.exists() and not output.is_file():
            return
        _refuse_inputs(output, inputs)
        if kind and output.exists() and output.stat().st_size and not force:
            _refuse_others(output, kind, "remove it" if force is None else _INSIST)
    try_out(output)


def _refuse_inputs(output: Path, inputs: Iterable[Path | str]) -> None:
    """Refuse what is read, what holds it, and what lies in a folder that is read, or in a model's.

    Raises:
        UsageError: says which of them.
    """
    for path in _paths(inputs):
        if _same(output, path):
            raise UsageError(f"{output} is read from; choose another output")
        if path.exists() and _holds(output, path):
            raise UsageError(f"{output} holds {path}, which is read; choose another output")
        if path.is_dir() and _holds(path, output):
            raise UsageError(f"{output} lies in {path}, which is read; choose another output")
    for folder in output.resolve().parents:
        if (folder / MANIFEST).is_file():
            raise UsageError(
                f"{output} lies in the model {folder}, which no file may be added to; choose "
                "another output"
            )


def _paths(inputs: Iterable[Path | str]) -> Iterator[Path]:
    """Those inputs that may be paths; what cannot be looked at can be neither read nor lost."""
    for each in filter(str, inputs):
        try:
            Path(each).stat()
        except (FileNotFoundError, NotADirectoryError):
            pass  # an output, which is not there yet
        except (OSError, ValueError):
            continue
        yield Path(each)


def _refuse_places(output: Path) -> None:
    places = [(Path.cwd(), "working")]
    with suppress(RuntimeError):  # a user of a container may have none
        places.append((Path.home(), "home"))
    for place, name in places:
        if _holds(output, place):
            raise UsageError(
                f"{output} is or holds your {name} folder and would be replaced; choose a folder "
                "inside it"
            )
    if os.path.ismount(output.resolve()):
        raise UsageError(
            f"{output} is a mount point, which cannot be replaced; choose a folder inside it"
        )


_INSIST = "insist with --force"


def _refuse_others(output: Path, kind: OutputKind, remedy: str = _INSIST) -> None:
    objection = kind.objection(output)
    if objection:
        raise UsageError(
            f"{output} is there already and is not {kind.name}: {objection}; choose another "
            f"output, or {remedy}"
        )


def _holds(folder: Path, path: Path) -> bool:
    """Whether the path is the folder or lies in it, through links, too."""
    path = path.resolve()
    return any(_same(folder, each) for each in (path, *path.parents))


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)  # also of another case, a hard link, a bind mount
    return one.resolve() == other.resolve()
