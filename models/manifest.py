"""`artifact.json`: what a model is, what it was made from, and which files belong to it.

Its `digest` covers every other entry, so that a change to one is noticed, and its `version` what
decides the model's answers: the labels, the temperature, the threshold and the files. Both are
taken of the values: indentation, line ends and the order of entries do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from models.errors import ArtifactError, CorruptArtifact
from models.manifest_values import check_values
from models.remark import Remark

FORMAT_VERSION = 3
"""1 has no digest, 2 no threshold."""
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
class Answers:
    """How a model answers, in shares: on dev, what its answers to other titles are held against."""

    classes: dict[str, float]
    """By class, or `unknown`."""
    confidence: tuple[float, ...]
    """By tenths of the confidence in the best class: up to 0.1, up to 0.2, …, up to 1."""

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Raises: TypeError, KeyError: not what `asdict` gives."""
        return cls(content["classes"], tuple(content["confidence"]))


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
    answers: Answers | None = None
    """To the dev titles; None in folders that do not tell."""

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Raises: TypeError: not what `asdict` gives."""
        made_from = tuple(Ingredient(**each) for each in content.get("made_from", ()))
        remarks = tuple(Remark(**each) for each in content.get("remarks", ()))
        answers = content.get("answers") and Answers.from_json(content["answers"])
        return cls(**{**content, "made_from": made_from, "remarks": remarks, "answers": answers})


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
    threshold: float = 0.0
    """Confidence below which the answer is "unknown"; 0 = never."""

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and check `artifact.json`, but not the files it lists.

        Raises:
            ArtifactError: no such file, or one written by a newer version.
            CorruptArtifact: not what `write` writes, or changed since.
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
            check_values(content)
            _require_unchanged(path, content)
            content["provenance"] = Provenance.from_json(content["provenance"])
            for name in ("labels", "display_names"):
                content[name] = tuple(content[name])
            return cls(**content)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise CorruptArtifact(
                f"{path} cannot be read: {error!r}; save the model again"
            ) from error

    def write(self, folder: Path) -> None:
        content = json.loads(json.dumps(asdict(self)))
        content["digest"] = _digest(content)
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        # half a surrogate pair, as file names that are not UTF-8 hold them, is JSON as an escape
        (folder / MANIFEST).write_bytes(text.encode("utf-8", "backslashreplace"))


def version_of(
    files: dict[str, dict[str, Any]],
    labels: Sequence[str],
    temperature: float,
    threshold: float = 0.0,
) -> str:
    """What names a model's answers: the same of these is the same version."""
    return _digest([files, labels, temperature, *([threshold] if threshold else [])])[:12]


def _require_unchanged(path: Path, content: dict[str, Any]) -> None:
    """Take the digest out of the manifest's content, and compare it.

    Raises:
        CorruptArtifact: it, or the version, is not that of the content.
    """
    recorded = content.pop("digest", None)
    whole = recorded == _digest(content) or (recorded is None and content["format_version"] == 1)
    entries = content["files"], content["labels"], content["temperature"]
    answering = version_of(*entries, content.get("threshold", 0.0))
    if not whole or content["version"] != answering:
        raise CorruptArtifact(
            f"{path} was changed after it was saved; copy the model's folder again"
        )


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
