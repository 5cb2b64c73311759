"""`biaoti verify`: does a model still stand on what it was made from?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path
from typing import Literal

from models.artifact import MANIFEST, Ingredient, Manifest
from models.artifact import verify as verify_files
from models.bounds import Checked
from models.cache import default_cache
from models.errors import ArtifactError, CorruptArtifact
from recipes.settings import FolderArgument, Folders

State = Literal["holds", "changed", "damaged", "not found"]
"""Of an ingredient: there as it was; another of its name; broken; nowhere."""


@dataclass(frozen=True, kw_only=True)
class Verify(Checked):
    """Walk what a model was made from, and say what holds.

    The model's own files are verified first. Then every model, file of titles and file of scores
    that its manifest names is looked for by version or SHA-256, in the folder that holds the
    model, in those of --among and in ~/.cache/biaoti, and the models' own ingredients in turn.
    """

    folder: FolderArgument
    """The model."""
    among: Folders = ()
    """A folder in which models, titles and scores are looked for, too; repeatable."""
    strict: bool = False
    """Exit with 4 unless everything holds."""


@dataclass(frozen=True)
class Link:
    """One ingredient, as it is found today.

    Attributes:
        depth: 1 for what the model itself was made from, 2 for what that was made from, …
        place: where it was found, or the one of its name that is another.
    """

    depth: int
    ingredient: Ingredient
    state: State
    place: Path | None


def verify(settings: Verify) -> tuple[Manifest, list[Link]]:
    """The model's manifest, and its lineage from the model downwards.

    Raises:
        ArtifactError: the model itself does not hold; or, with `strict`, something it stands on.
    """
    folder = Path(settings.folder)
    manifest = Manifest.read(folder)
    verify_files(folder, manifest)
    places = _Places(
        [folder, folder.absolute().parent, default_cache(), *map(Path, settings.among)]
    )
    links = list(_walk(manifest, places, depth=1, seen=set()))
    if settings.strict and (lost := [link for link in links if link.state != "holds"]):
        names = ", ".join(f"{link.ingredient.name} ({link.state})" for link in lost)
        raise ArtifactError(
            f"{settings.folder} stands on what does not hold: {names}; pass the folders that "
            "have them as --among, or make the model again"
        )
    return manifest, links


def _walk(manifest: Manifest, places: _Places, depth: int, seen: set[str]) -> Iterator[Link]:
    for ingredient in manifest.provenance.made_from:
        if ingredient.kind == "model":
            state, place = places.model(ingredient)
        else:
            state, place = places.file(ingredient)
        yield Link(depth, ingredient, state, place)
        if ingredient.kind == "model" and state == "holds" and ingredient.version not in seen:
            assert place is not None
            seen.add(ingredient.version)
            yield from _walk(Manifest.read(place), places, depth + 1, seen)


class _Places:
    """Where ingredients are looked for; every folder is listed once."""

    def __init__(self, folders: Iterable[Path]):
        paths = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
        self.files: dict[str, list[Path]] = {}
        for path in sorted(paths):
            self.files.setdefault(path.name, []).append(path)

    def model(self, ingredient: Ingredient) -> tuple[State, Path | None]:
        other: Path | None = None
        for path in self.files.get(MANIFEST, []):
            try:
                manifest = Manifest.read(path.parent)
            except ArtifactError:
                continue  # a folder of another kind, or of another model: not what is looked for
            if manifest.version == ingredient.version:
                try:
                    verify_files(path.parent, manifest)
                except CorruptArtifact:
                    return "damaged", path.parent
                return "holds", path.parent
            if manifest.name == ingredient.name:
                other = other or path.parent
        return ("not found", None) if other is None else ("changed", other)

    def file(self, ingredient: Ingredient) -> tuple[State, Path | None]:
        named = self.files.get(Path(ingredient.name).name, [])
        for path in named:
            if _sha256(path) == ingredient.version:
                return "holds", path
        return ("changed", named[0]) if named else ("not found", None)


@cache
def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
