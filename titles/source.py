"""Where titles are and in what format: a file, standard input, a folder, a hub dataset."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from models.errors import DataError, UsageError

FORMATS = ("txt", "csv", "jsonl", "parquet", "dataset")

_SUFFIXES = {
    ".txt": "txt",
    ".tsv": "txt",
    ".csv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class Source:
    """Where titles are, and how to read them.

    Attributes:
        path: a file; "-" for standard input (`title<TAB>label` lines or bare titles, unless
            `format` says otherwise); a folder that `datasets` saved or that holds data files
            (`train.txt`, `dev.csv`, ...); or the name of a hub dataset, `org/name`.
        format: txt, csv, jsonl, parquet or dataset; None guesses it from the suffix. A table with
            a header and tabs is `csv`: the delimiter (comma, tab or semicolon) is found in the
            header.
        title_column: None tries title, sentence, text, in this order.
        label_column: None tries label_desc, label_name, label_text, label, category.
        split: of a folder or a hub dataset, the split to read; of a file it is ignored.

    Raises:
        UsageError: an unknown format.
    """

    path: str | Path
    format: str | None = None
    title_column: str | None = None
    label_column: str | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise UsageError(f"format '{self.format}' is not one of {', '.join(FORMATS)}")

    @property
    def is_stdin(self) -> bool:
        """Whether the titles come from standard input, which can be read only once."""
        return str(self.path) == "-"


def resolve(source: Source) -> Source:
    """The same source with its format known, and a folder of data files narrowed to its file.

    Raises:
        UsageError: the format or the file of a folder cannot be told, or columns are named in a
            format that has none.
        DataError: there is no such file.
    """
    if not source.is_stdin and Path(source.path).is_dir():
        source = _file_in_folder(source)
    source = replace(source, format=source.format or _guess_format(source))
    if source.format == "txt" and (source.title_column or source.label_column):
        raise UsageError(
            f"{source.path}: the txt format has no column names; "
            "pass --format csv for a table with a header (commas or tabs)"
        )
    if source.format != "dataset" and not source.is_stdin and not Path(source.path).is_file():
        raise DataError("there is no such file; check the path", source.path)
    return source


def _guess_format(source: Source) -> str:
    if source.is_stdin:
        return "txt"
    path = Path(source.path)
    if path.is_dir():
        return "dataset"
    if path.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[path.suffix.lower()]
    if not path.exists() and _HUB_NAME.fullmatch(str(source.path)):
        return "dataset"
    raise UsageError(
        f"{source.path}: cannot tell the format from the name; pass --format {'|'.join(FORMATS)}"
    )


def is_saved_dataset(folder: Path) -> bool:
    """Whether `save_to_disk` of the `datasets` library wrote this folder."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def _file_in_folder(source: Source) -> Source:
    """The folder's file `SPLIT.suffix`, or its only data file; else the folder, for `datasets`."""
    folder = Path(source.path)
    if is_saved_dataset(folder) or source.format == "dataset":
        return source
    files = sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in _SUFFIXES and path.name != "class.txt" and path.is_file()
    )
    named = [path for path in files if source.split in (None, path.stem)]
    if len(named) == 1:
        return replace(source, path=named[0])
    # `datasets` would read `title<TAB>label` lines as titles.
    if files and all(_SUFFIXES[path.suffix.lower()] == "txt" for path in files):
        stems = ", ".join(path.stem for path in files)
        raise UsageError(f"{folder}: which file is meant; pass one of --split {stems}")
    return source
