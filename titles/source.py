"""Where titles are and in what format: a file, standard input, a folder, a hub dataset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.errors import UsageError

FORMATS = ("txt", "csv", "jsonl", "parquet", "excel", "dataset")


@dataclass(frozen=True)
class Source:
    """Where titles are, and how to read them.

    Attributes:
        path: a file; "-" for standard input (`title<TAB>label` lines or bare titles, unless
            `format` says otherwise); a folder that `datasets` saved or that holds data files
            (`train.txt`, `dev.csv`, ...); or the name of a hub dataset, `org/name`.
        format: one of FORMATS; None guesses it from the suffix, and of a text
            whose first line names columns (`title<TAB>label`) tells that it is `csv`, whose
            delimiter (comma, tab or semicolon) is found in the header.
        title_column: None tries the names in `titles.columns.TITLE_COLUMNS`, in their order.
        label_column: None tries those in `titles.columns.LABEL_COLUMNS`.
        split: of a folder or a hub dataset, the split to read; of a file it is ignored.
        newsroom: whose titles they are, where there are several; a class map is asked by it.

    Raises:
        UsageError: an unknown format.
    """

    path: str | Path
    format: str | None = None
    title_column: str | None = None
    label_column: str | None = None
    split: str | None = None
    newsroom: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise UsageError(f"format '{self.format}' is not one of {', '.join(FORMATS)}")

    @property
    def is_stdin(self) -> bool:
        """Whether the titles come from standard input, which can be read only once."""
        return str(self.path) == "-"


def is_saved_dataset(folder: Path) -> bool:
    """Whether `save_to_disk` of the `datasets` library wrote this folder."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()
