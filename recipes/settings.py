"""What the settings of the recipes have in common: how files are read, what is learned from.

The settings of a recipe are a frozen dataclass. The sentence under a field is its help on the
command line, whose options are made from these classes; the types below say how they look there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, UseAppendAction, arg
from tyro.constructors import PrimitiveConstructorSpec

from models.bounds import Checked, NonEmpty, Whole
from titles import Source


def _optional(metavar: str, read: Callable[[str], Any], absent: str) -> Any:
    """How an option is read that may be left out, and what its help says where it is."""

    def show(value: Any) -> list[str]:
        if value is None:
            return [absent]
        return [",".join(map(str, value)) if isinstance(value, tuple) else str(value)]

    return PrimitiveConstructorSpec(1, metavar, lambda words: read(words[0]), lambda _: True, show)


def layer_numbers(text: str) -> int | tuple[int, ...]:
    """What --layers says: `4` is how many, `0,4,8,11` are which ones.

    Raises:
        ValueError: something else.
    """
    try:
        numbers = tuple(int(number) for number in text.split(","))
    except ValueError as error:
        raise ValueError(f"a number, or several as in 0,4,8,11; not '{text}'") from error
    return numbers if len(numbers) > 1 else numbers[0]


class LayerNumbers:
    """What `--layers` may be: how many layers, or the different ones, from the bottom up."""

    def refusal(self, value: int | tuple[int, ...]) -> str:
        """What it has to be, for a value that it is not."""
        if not isinstance(value, tuple):
            return Whole(least=1).refusal(value)
        if list(value) == sorted(set(value)):
            return Whole(least=0).refusal(value)
        return "different numbers, from the lowest layer to the highest"


File = Annotated[str, arg(metavar="FILE")]
"""Titles, as `Source` takes them: a file, `-`, a folder, or the name of a dataset on the hub."""
Files = Annotated[tuple[str, ...], UseAppendAction, arg(metavar="FILE")]
"""Several of them; the option is repeated."""
Folder = Annotated[Path, arg(metavar="FOLDER")]
Folders = Annotated[tuple[Path, ...], UseAppendAction, arg(metavar="FOLDER")]
FileArgument = Annotated[str, Positional, arg(metavar="FILE")]
FileArguments = Annotated[tuple[str, ...], Positional, arg(metavar="FILE"), NonEmpty()]
FolderArgument = Annotated[Path, Positional, arg(metavar="FOLDER")]
FolderArguments = Annotated[tuple[Path, ...], Positional, arg(metavar="FOLDER"), NonEmpty()]
OptionalPath = Annotated[Path | None, _optional("PATH", Path, "none")]
OptionalFile = Annotated[str | None, _optional("FILE", str, "none")]
OptionalText = Annotated[str | None, _optional("NAME", str, "told from the file")]
OptionalNumber = Annotated[int | None, _optional("N", int, "all"), Whole(least=1)]
OptionalShare = Annotated[float | None, _optional("SHARE", float, "none")]
Layers = Annotated[
    int | tuple[int, ...] | None, _optional("N|I,J,…", layer_numbers, "all"), LayerNumbers()
]
Threads = Annotated[int | None, _optional("N", int, "all"), Whole(least=1, most=1024)]
Number = Annotated[int, arg(metavar="N"), Whole(least=1)]


@dataclass(frozen=True, kw_only=True)
class Reading(Checked):
    """How files of titles are read."""

    labels: Annotated[Path | None, _optional("FILE", Path, "class.txt beside the data")] = None
    """Class names, one a line."""
    format: Annotated[str | None, _optional("FORMAT", str, "told from the suffix")] = None
    """txt, csv, jsonl, parquet or dataset."""
    title_column: OptionalText = None
    """Column of the titles."""
    label_column: OptionalText = None
    """Column of the labels, ids or names."""
    split: Annotated[str | None, _optional("NAME", str, "the only one")] = None
    """Split of a Hugging Face dataset, or file of a folder."""

    def source(self, path: str, split: str | None = None) -> Source:
        """The titles at `path`; `split` wins over the setting."""
        return Source(
            path,
            format=self.format,
            title_column=self.title_column,
            label_column=self.label_column,
            split=split or self.split,
        )


@dataclass(frozen=True, kw_only=True)
class Saving(Checked):
    """Where a result is written."""

    output: Folder
    """Where it is saved; only what the same kind of verb wrote is replaced."""
    force: bool = False
    """Replace whatever stands at --output, but never what is read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.output, str):  # as Python users may give it
            object.__setattr__(self, "output", Path(self.output))


@dataclass(frozen=True, kw_only=True)
class Learning(Saving):
    """What is learned from, and where the model is saved."""

    train: File
    """Titles to learn from."""
    dev: File
    """Titles to choose and calibrate on."""
    dev_split: Annotated[str | None, _optional("NAME", str, "as --split")] = None
    """Split of a dataset that --dev means."""
    reading: Reading = Reading()
