"""One reader and one copier for each format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from titles.csv_table import read_csv, rewrite_csv
from titles.dataset_rows import read_dataset, rewrite_dataset
from titles.json_lines import read_json, rewrite_json
from titles.parquet_table import read_parquet, rewrite_parquet
from titles.record import Edit, Record
from titles.source import Source, resolve
from titles.text_lines import read_text, rewrite_text

_READERS = {
    "txt": read_text,
    "csv": read_csv,
    "jsonl": read_json,
    "parquet": read_parquet,
    "dataset": read_dataset,
}
_COPIERS = {
    "txt": rewrite_text,
    "csv": rewrite_csv,
    "jsonl": rewrite_json,
    "parquet": rewrite_parquet,
    "dataset": rewrite_dataset,
}


def read_records(source: Source, labelled: bool) -> Iterator[Record]:
    """Every record of a source, usable or not, in constant memory.

    Args:
        labelled: whether a label is needed; else a missing label column is no fault.
    Raises:
        DataError: the source as a whole cannot be read.
    """
    source = resolve(source)
    return _READERS[source.format or ""](source, labelled)


def rewrite(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write to `target`, in the same format, a copy of the records that `edit` keeps."""
    source = resolve(source)
    _COPIERS[source.format or ""](source, target, labelled, edit)
