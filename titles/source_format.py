"""Which format a source has, told from its name and, of a text, from its first line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from models.errors import DataError, UsageError
from titles.byte_lines import ByteLines
from titles.columns import names_columns, title_column
from titles.csv_table import DELIMITERS
from titles.source import FORMATS, Source, is_saved_dataset

_SUFFIXES = {
    ".txt": "txt",
    ".tsv": "txt",
    ".csv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_OLD_EXCEL = (".xls", ".xlsb")
_WITH_COLUMNS = ("csv", "jsonl", "parquet", "excel", "dataset")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def resolve(source: Source) -> Source:
    """The same source with its format known, and a folder of data files narrowed to its file.

    Raises:
        UsageError: the format or the file of a folder cannot be told, or columns are named in a
            format that has none.
        DataError: there is no such file.
    """
    if not source.is_stdin and Path(source.path).is_dir():
        source = _file_in_folder(source)
    guessed = source.format is None
    source = replace(source, format=source.format or _guess_format(source))
    if source.format != "dataset" and not source.is_stdin and not Path(source.path).is_file():
        raise DataError("there is no such file; check the path", source.path)
    if guessed and source.format == "txt" and not source.is_stdin and _has_header(source):
        source = replace(source, format="csv")
    if source.format not in _WITH_COLUMNS and (source.title_column or source.label_column):
        raise UsageError(
            f"{source.path}: the {source.format} format has no column names; "
            "pass --format csv for a table with a header (commas or tabs)"
        )
    return source


def resolve_unlabelled(source: Source) -> Source:
    """As `resolve`, of titles that need no labels.

    A text is a table where its first line names a column of titles, whatever else it names.

    Raises:
        UsageError, DataError: as `resolve` does.
    """
    named = source.title_column or source.label_column
    guess = replace(source, title_column=None, label_column=None) if named else source
    found = resolve(guess)
    if found.format == "txt" and source.format is None:
        first = next(iter(ByteLines(found)), b"").decode(errors="replace")
        found = replace(found, format=format_of_line(first, source.title_column))
    return resolve(replace(source, path=found.path, format=found.format))


def format_of_line(first: str, column: str | None = None) -> str:
    """Of a text whose name says nothing, the format: csv where its first line names a column.

    JSON lines begin with a brace; what is neither are bare titles, or titles and labels.

    Args:
        column: of the titles; None: called as one may usually be.
    """
    if first.lstrip("\ufeff \t").startswith("{"):
        return "jsonl"
    cells = max((first.split(delimiter) for delimiter in DELIMITERS), key=len)
    named = title_column(
        Source("-", title_column=column), [cell.strip(' "\r\n\ufeff') for cell in cells]
    )
    return "csv" if named else "txt"


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
    if path.suffix.lower() in _OLD_EXCEL:
        raise UsageError(f"{source.path}: an old format of Excel's; save it as .xlsx or .csv first")
    raise UsageError(
        f"{source.path}: cannot tell the format from the name; pass --format {'|'.join(FORMATS)}"
    )


def _has_header(source: Source) -> bool:
    first = next(iter(ByteLines(source)), b"").decode(errors="replace")
    return names_columns(first.rstrip("\r\n").split("\t"))


def _file_in_folder(source: Source) -> Source:
    """The folder's file `SPLIT.suffix`, or its only data file; else the folder, for `datasets`."""
    folder = Path(source.path)
    if is_saved_dataset(folder) or source.format == "dataset":
        return source
    files = sorted(filter(_holds_titles, folder.iterdir()))
    named = [path for path in files if source.split in (None, path.stem)]
    if len(named) == 1:
        return replace(source, path=named[0])
    # `datasets` would read `title<TAB>label` lines as titles.
    if files and all(_SUFFIXES[path.suffix.lower()] == "txt" for path in files):
        stems = ", ".join(path.stem for path in files)
        raise UsageError(f"{folder}: which file is meant; pass one of --split {stems}")
    return source


def _holds_titles(path: Path) -> bool:
    """Whether it is a data file, and neither a list of classes nor what a fix has dropped."""
    known = path.suffix.lower() in _SUFFIXES and path.name != "class.txt"
    return known and not path.name.endswith(".dropped.csv") and path.is_file()
