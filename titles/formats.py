"""One reader and one copier for each format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from titles.byte_lines import ByteLines
from titles.csv_table import read_csv, rewrite_csv
from titles.dataset_rows import read_dataset, rewrite_dataset
from titles.excel_table import read_excel, rewrite_excel
from titles.json_lines import read_json, rewrite_json
from titles.parquet_table import read_parquet, rewrite_parquet
from titles.record import Edit, Record
from titles.source import Source
from titles.text_lines import read_text, rewrite_text

_LINE_READERS = {"txt": read_text, "csv": read_csv, "jsonl": read_json}
_TABLE_READERS = {"parquet": read_parquet, "excel": read_excel, "dataset": read_dataset}
_COPIERS = {
    "txt": rewrite_text,
    "csv": rewrite_csv,
    "jsonl": rewrite_json,
    "parquet": rewrite_parquet,
    "excel": rewrite_excel,
    "dataset": rewrite_dataset,
}


def read_records(source: Source, labelled: bool, lines: ByteLines) -> Iterator[Record]:
    """Every record of a source, usable or not, in constant memory.

    Args:
        source: resolved.
        labelled: whether a label is needed; else a missing label column is no fault.
        lines: of the source, where its format has lines.
    Raises:
        DataError: the source as a whole cannot be read.
    """
    if source.format in _LINE_READERS:
        return _LINE_READERS[source.format](source, labelled, lines)
    return _TABLE_READERS[source.format or ""](source, labelled)


def rewrite(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write to `target`, in the same format, a copy of the records that `edit` keeps.

    Args:
        source: resolved.
    """
    _COPIERS[source.format or ""](source, target, labelled, edit)
