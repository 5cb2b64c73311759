"""Find the classes of a source: given, beside it, in it."""

from __future__ import annotations

from pathlib import Path

from models.errors import DataError, UsageError
from models.labels import Labels
from titles.dataset_rows import dataset_class_names
from titles.formats import read_records
from titles.parquet_table import parquet_class_names
from titles.source import Source, resolve

MOST_LABELS = 10_000
"""More distinct labels than this are a wrong column, not a taxonomy."""


def find_labels(source: Source, labels_file: str | Path | None = None) -> Labels:
    """The classes of a source, in this order of trust.

    1. `labels_file`, one name a line; 2. `class.txt` beside the data file (or in the folder);
    3. the ClassLabel feature of a `datasets` dataset; 4. the sorted distinct labels of its rows.

    Raises:
        DataError: no labels, too many, or bare numbers, whose names only a `class.txt` can tell.
        UsageError: standard input, which cannot be read twice, without `labels_file`.
    """
    if labels_file is not None:
        return Labels.read(Path(labels_file))
    if source.is_stdin:
        raise UsageError("standard input is read only once; pass the class names with --labels")
    source = resolve(source)
    path = Path(source.path)
    beside = (path if path.is_dir() else path.parent) / "class.txt"
    if path.exists() and beside.is_file():
        return Labels.read(beside)
    declared = {"dataset": dataset_class_names, "parquet": parquet_class_names}
    names = declared[source.format](source) if source.format in declared else None
    return Labels.of(names) if names else _distinct_labels(source)


def _distinct_labels(source: Source) -> Labels:
    names: set[str] = set()
    for record in read_records(source, labelled=True):
        if record.label is not None and record.fault is None:
            names.add(record.label)
        if len(names) > MOST_LABELS:
            raise DataError(
                f"more than {MOST_LABELS} distinct labels; name the column with --label-column",
                source.path,
                record.line,
            )
    if not names:
        raise DataError("no row has a label; pass a file with labels", source.path)
    if all(name.isdecimal() for name in names):
        raise DataError(
            f"labels are bare numbers ({', '.join(sorted(names, key=int)[:3])}, ...); write their "
            "names, one a line, to class.txt beside the file, or pass --labels",
            source.path,
        )
    return Labels.of(sorted(names))
