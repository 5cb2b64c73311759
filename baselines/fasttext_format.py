"""What fastText reads and writes: lines of tokens, label names, model files.

A model file alone does not say how its text was prepared; `preprocessing.json` beside it does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from baselines.segmentation import characters, ngrams, words
from models.errors import CorruptArtifact, MissingDependency
from models.labels import Labels
from titles import LabelledTitles

try:
    import fasttext
except ImportError as error:
    raise MissingDependency("fasttext-community", "train") from error

PREPROCESSING_FILE = "preprocessing.json"
UNITS: dict[str, Callable[[str], str]] = {
    "words": words,
    "characters": characters,
    "ngrams": ngrams,
}
"""What a token may be, and the function that cuts a title into such tokens."""
_LABEL_PREFIX = "__label__"
_MAGIC = (793712314).to_bytes(4, "little")


def to_line(title: str, unit: str) -> str:
    """The title as fastText reads it: tokens of `unit` on one line, none of which is a label."""
    return UNITS[unit](title).replace(_LABEL_PREFIX, "label ")


def label_id(name: str) -> int:
    """`__label__7` to 7.

    Raises:
        ValueError: another form.
    """
    number = name.removeprefix(_LABEL_PREFIX)
    if number == name or not (number.isascii() and number.isdigit()):
        raise ValueError(f"label '{name}' is not {_LABEL_PREFIX} and a number")
    return int(number)


def write_lines(path: Path, titles: LabelledTitles, unit: str) -> None:
    """A file to train or tune on: a line a title, its label first."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for title, number in zip(titles.titles, titles.label_ids, strict=True):
            file.write(f"{_LABEL_PREFIX}{number} {to_line(title, unit)}\n")


def open_model(path: Path, labels: Labels) -> Any:
    """Open a model file and check that its labels are numbers of classes.

    Raises:
        CorruptArtifact: absent, not fastText's, or of other labels.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ValueError("it does not begin as fastText's files do")
        model = fasttext.load_model(os.fspath(path))
        if not all(label_id(name) < len(labels) for name in model.get_labels()):
            raise ValueError(f"its labels {model.get_labels()} do not fit {len(labels)} classes")
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        raise CorruptArtifact(
            f"{path} is not a fastText classifier: {error}; train it again"
        ) from error
    return model


def read_unit(path: Path) -> str:
    """The unit that `preprocessing.json` names.

    Raises:
        CorruptArtifact: absent, not JSON, or of an unknown unit.
    """
    try:
        unit: str = json.loads(path.read_text(encoding="utf-8"))["unit"]
        if unit not in UNITS:
            raise ValueError(f"unknown unit {unit!r}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorruptArtifact(f"{path} cannot be read: {error!r}; train it again") from error
    return unit
