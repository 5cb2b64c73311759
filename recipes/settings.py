"""What the settings of the recipes have in common: how files are read, what is learned from.

The settings of a recipe are a frozen dataclass. The sentence under a field is its help on the
command line, whose options are made from these classes; the types below say how they look there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, UseAppendAction, arg
from tyro.constructors import PrimitiveConstructorSpec

from models.bounds import Bounds, Checked, NonEmpty, Whole
from titles import Source
from titles.class_map import ClassMap
from titles.protection import HELD_OUT


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
NewsroomFiles = Annotated[
    tuple[str, ...], UseAppendAction, arg(metavar="[NEWSROOM=]FILE"), NonEmpty()
]
Folder = Annotated[Path, arg(metavar="FOLDER")]
Folders = Annotated[tuple[Path, ...], UseAppendAction, arg(metavar="FOLDER")]
FileArgument = Annotated[str, Positional, arg(metavar="FILE")]
FileArguments = Annotated[tuple[str, ...], Positional, arg(metavar="FILE"), NonEmpty()]
FolderArgument = Annotated[Path, Positional, arg(metavar="FOLDER")]
FolderArguments = Annotated[tuple[Path, ...], Positional, arg(metavar="FOLDER"), NonEmpty()]
OptionalPath = Annotated[Path | None, _optional("PATH", Path, "none")]
OptionalFile = Annotated[str | None, _optional("FILE", str, "none")]
OptionalText = Annotated[str | None, _optional("NAME", str, "told from the file")]
OptionalName = Annotated[str | None, _optional("NAME", str, "none")]
OptionalFormat = Annotated[str | None, _optional("FORMAT", str, "told from the suffix")]
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
    format: OptionalFormat = None
    """txt, csv, jsonl, parquet, excel or dataset."""
    title_column: OptionalText = None
    """Column of the titles."""
    label_column: OptionalText = None
    """Column of the labels, ids or names."""
    split: Annotated[str | None, _optional("NAME", str, "the only one")] = None
    """Split of a Hugging Face dataset, or file of a folder."""
    class_map: OptionalPath = None
    """What the labels of newsrooms mean: newsroom<TAB>label<TAB>classes a line, with | between
    several classes, 'outside' for none, '-' for labels whose titles are left out. A file is of the
    newsroom that its folder is called after, or that NAME=FILE names."""

    def source(self, name: str, split: str | None = None) -> Source:
        """The titles at `[NEWSROOM=]path`; `split` wins over the setting."""
        newsroom, path = _newsroom_and_path(name)
        return Source(
            path,
            format=self.format,
            title_column=self.title_column,
            label_column=self.label_column,
            split=split or self.split,
            newsroom=newsroom or (newsroom_of(path) if self.class_map else None),
        )

    def sources(self, names: Sequence[str], split: str | None = None) -> list[Source]:
        """Several; where there are several, each is of a newsroom."""
        found = [self.source(name, split) for name in names]
        if len(found) == 1:
            return found
        return [replace(each, newsroom=each.newsroom or newsroom_of(each.path)) for each in found]

    @property
    def lists(self) -> list[Path]:
        """The files that say what labels are."""
        return [path for path in (self.labels, self.class_map) if path]

    def meanings(self) -> ClassMap | None:
        """The class map, read.

        Raises:
            DataError: it cannot be.
        """
        return ClassMap.read(self.class_map) if self.class_map else None


def path_of(name: str | Path) -> Path:
    """Of `[NEWSROOM=]path`."""
    return Path(_newsroom_and_path(str(name))[1])


def newsroom_of(path: str | Path) -> str:
    """What a file's newsroom is called: after its folder, or after the file where that is none.

    `toutiao/train.jsonl` is of toutiao, `toutiao.csv` too.
    """
    path = Path(path)
    if path.stem.lower() in ("train", *HELD_OUT) and path.resolve().parent.name:
        return path.resolve().parent.name
    return path.stem


def _newsroom_and_path(name: str) -> tuple[str | None, str]:
    newsroom, equals, path = name.partition("=")
    if not equals or not newsroom or not path or Path(name).exists():
        return None, name
    return newsroom, path


def allow_one(settings: object, *names: str) -> None:
    """Where several files may be given, take one that stands alone, as Python users may give it."""
    for name in names:
        value = getattr(settings, name, None)
        if isinstance(value, str | Path):
            object.__setattr__(settings, name, (str(value),))


@dataclass(frozen=True, kw_only=True)
class Saving(Checked):
    """Where a result is written."""

    output: Folder
    """Where it is saved; only what the same kind of verb wrote is replaced."""
    force: bool = False
    """Replace whatever stands at --output, but never what is read."""

    def __post_init__(self) -> None:
        allow_one(self, "train", "dev")
        super().__post_init__()
        if isinstance(self.output, str):  # as Python users may give it
            object.__setattr__(self, "output", Path(self.output))


@dataclass(frozen=True, kw_only=True)
class Calibrating(Saving):
    """What is asked of every model whose confidence is fitted on dev titles."""

    wanted_precision: Annotated[
        float | None, _optional("SHARE", float, "none"), Bounds(above=0, below=1)
    ] = None
    """Share of right answers among those given; titles with less confidence than gives it on dev,
    those of no class among them, are answered 'unknown'."""


@dataclass(frozen=True, kw_only=True)
class Learning(Calibrating):
    """What is learned from, and where the model is saved."""

    train: NewsroomFiles
    """Titles to learn from; repeatable, one newsroom's each."""
    dev: NewsroomFiles
    """Titles to choose and calibrate on; repeatable, one newsroom's each."""
    dev_split: Annotated[str | None, _optional("NAME", str, "as --split")] = None
    """Split of a dataset that --dev means."""
    reading: Reading = Reading()

    @property
    def learned_files(self) -> list[Path]:
        """All files of titles that are learned from or chosen on, and what they are read by."""
        return [*map(path_of, (*self.train, *self.dev)), *self.reading.lists]
