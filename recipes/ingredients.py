"""What a model was made from, as its manifest names it."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path

from models.artifact import Ingredient, LoadedModel
from titles import LabelledTitles


def data_ingredient(role: str, titles: LabelledTitles) -> Ingredient:
    return Ingredient(role, "data", titles.fingerprint.name, titles.fingerprint.sha256)


def file_ingredient(role: str, path: Path) -> Ingredient:
    """A file that is neither titles nor a model of ours, such as an encoder's weights."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return Ingredient(role, "data", f"{path.parent.name}/{path.name}", digest)


def encoder_ingredients(folder: Path) -> list[Ingredient]:
    """The weights of a pretrained encoder."""
    return [file_ingredient("encoder", path) for path in sorted(folder.glob("*.safetensors"))]


def model_ingredient(role: str, model: LoadedModel) -> Ingredient:
    return Ingredient(role, "model", model.manifest.name, model.manifest.version)


def named(model: LoadedModel) -> dict[str, str]:
    """What a manifest's settings say of another model."""
    return {"name": model.manifest.name, "version": model.manifest.version}
