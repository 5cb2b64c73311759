"""The files of a model's folder: listed when it is saved, and compared with the list at loading."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.errors import CorruptArtifact
from models.litter import is_litter
from models.manifest import CARD, MANIFEST, Manifest


def list_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and SHA-256 of every file in the folder, by its path in it."""
    return {name: _fingerprint(folder / name) for name in sorted(_names(folder))}


def verify(folder: Path, manifest: Manifest) -> None:
    """Compare the folder's files with the manifest's sizes and SHA-256.

    A model card beside them is no part of the model, nor is what file browsers, editors and
    Kubernetes leave there. Of JSON, line ends may be others, as git makes them.

    Raises:
        CorruptArtifact: names the first file that is missing, changed or not listed.
        OSError: a file cannot be read.
    """
    listed = {MANIFEST, CARD, *manifest.files}
    for name in sorted(_names(folder) - listed):
        if not is_litter(name, listed):
            raise CorruptArtifact(f"{folder / name} is not listed in {MANIFEST}; move it elsewhere")
    for name, expected in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise CorruptArtifact(f"{path} is missing; copy the model's folder again")
        if _fingerprint(path) != expected:
            _require_other_line_ends(path, expected)


def _require_other_line_ends(path: Path, expected: dict[str, Any]) -> None:
    """Refuse a file that differs in more than CR LF for LF, or where these may mean something.

    Raises:
        CorruptArtifact: says which of both.
    """
    content = path.read_bytes().replace(b"\r\n", b"\n")
    if expected != {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}:
        raise CorruptArtifact(
            f"{path} is not the file that was saved (size or SHA-256 differ); "
            "copy the model's folder again"
        )
    if path.suffix != ".json":  # whose line ends stand between values alone
        raise CorruptArtifact(
            f"{path} has other line ends (CR LF) than the file that was saved, as git makes them "
            "with core.autocrlf; mark the folder '-text' in .gitattributes and check it out again"
        )


def _names(folder: Path) -> set[str]:
    """The paths in it of all that is no folder; links to folders are followed, each folder once."""
    return {path.relative_to(folder).as_posix() for path in _walk(folder, set())}


def _walk(folder: Path, seen: set[str]) -> Iterator[Path]:
    seen.add(os.path.realpath(folder))
    for path in folder.iterdir():
        if not path.is_dir():
            yield path
        elif os.path.realpath(path) not in seen:
            yield from _walk(path, seen)


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}
