"""`artifact.json`: what a model is, what it was made from, and which files belong to it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from models.errors import ArtifactError, CorruptArtifact
from models.remark import Remark

FORMAT_VERSION = 1
MANIFEST = "artifact.json"
CARD = "README.md"
"""Where a model's folder may tell people about it; never read, so it may change."""


@dataclass(frozen=True)
class Ingredient:
    """One thing that a model was made from."""

    role: str
    """What it was to the model: train, dev or unlabelled titles, its teacher, start, source, member
    or encoder, or scores."""
    kind: str
    """data, model or scores."""
    name: str
    version: str
    """A model's version, or the SHA-256 of a file."""


@dataclass(frozen=True)
class Provenance:
    """How a model came to be."""

    trained_on: dict[str, Any] = field(default_factory=dict)
    """Name, fingerprint and rows of the training data."""
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    made_from: tuple[Ingredient, ...] = ()
    """The data, models and scores that went into it; empty in folders that do not tell."""
    remarks: tuple[Remark, ...] = ()
    """What was remarkable about its data and its scores when it was made."""

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Raises: TypeError: not what `asdict` gives."""
        made_from = tuple(Ingredient(**each) for each in content.get("made_from", ()))
        remarks = tuple(Remark(**each) for each in content.get("remarks", ()))
        return cls(**{**content, "made_from": made_from, "remarks": remarks})


@dataclass(frozen=True)
class Manifest:
    """The content of `artifact.json`."""

    name: str
    version: str
    route: str
    labels: tuple[str, ...]
    display_names: tuple[str, ...]
    max_length: int | None
    temperature: float
    provenance: Provenance
    code_revision: str
    files: dict[str, dict[str, Any]]
    probes: list[dict[str, Any]]
    format_version: int = FORMAT_VERSION

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and check `artifact.json`, but not the files it lists.

        Raises:
            ArtifactError: no such file, or one written by a newer version.
            CorruptArtifact: not the JSON that `save` writes.
        """
        path = folder / MANIFEST
        if not path.is_file():
            raise ArtifactError(
                f"{folder} is not a model: it has no {MANIFEST}; pass a folder that "
                "'biaoti train' wrote"
            )
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format_version"] > FORMAT_VERSION:
                raise ArtifactError(
                    f"{path} has format {content['format_version']}, this program reads up to "
                    f"{FORMAT_VERSION}; update biaoti"
                )
            content["provenance"] = Provenance.from_json(content["provenance"])
            for name in ("labels", "display_names"):
                content[name] = tuple(content[name])
            return cls(**content)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise CorruptArtifact(
                f"{path} cannot be read: {error!r}; save the model again"
            ) from error

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def list_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and SHA-256 of every file in the folder, by its path in it."""
    return {
        path.relative_to(folder).as_posix(): _fingerprint(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def verify(folder: Path, manifest: Manifest) -> None:
    """Compare the folder's files with the manifest's sizes and SHA-256.

    Raises:
        CorruptArtifact: names the first file that is missing, changed or not listed; a model card
            beside them is no part of the model.
    """
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    for name in sorted(present - set(manifest.files) - {MANIFEST, CARD}):
        raise CorruptArtifact(f"{folder / name} is not listed in {MANIFEST}; move it elsewhere")
    for name, expected in manifest.files.items():
        if name not in present:
            raise CorruptArtifact(f"{folder / name} is missing; copy the model's folder again")
        if _fingerprint(folder / name) != expected:
            raise CorruptArtifact(
                f"{folder / name} is not the file that was saved (size or SHA-256 differ); "
                "copy the model's folder again"
            )


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}
