"""The dataset format: a folder saved by `datasets`, a folder of data files, or a hub dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.errors import DataError, MissingDependency, UsageError
from titles.columns import date_column, label_place, title_place
from titles.parquet_table import named
from titles.record import Edit, Record, title_record
from titles.source import Source, is_saved_dataset

BATCH_ROWS = 1024


def read_dataset(source: Source, labelled: bool) -> Iterator[Record]:
    """The rows as records, streamed; `line` is the number of the row, from 1.

    Raises:
        DataError: there is no such dataset, or a column is not in it.
        UsageError: it has several splits, and the source names none.
        MissingDependency: `datasets` is not installed.
    """
    dataset = _open(source)
    line = 1
    for batch in dataset.iter(batch_size=BATCH_ROWS):
        columns = list(batch)
        titles = batch[columns[title_place(source, columns)]]
        label = label_place(source, columns, labelled)
        labels = [None] * len(titles)
        if label is not None:
            names = _class_names(dataset, columns[label])
            labels = [named(value, names) for value in batch[columns[label]]]
        dates = batch.get(date_column(columns) or "", [None] * len(titles))
        for title_value, label_value, date in zip(titles, labels, dates, strict=True):
            yield title_record(line, title_value, label_value, labelled, date)
            line += 1


def rewrite_dataset(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Save a copy, with the same features, of the rows that `edit` keeps; it is built in memory.

    Raises:
        UsageError: the source is not a folder that `datasets` saved.
    """
    if not is_saved_dataset(Path(source.path)):
        raise UsageError(
            f"{source.path}: only files and folders saved by datasets can be cleaned; "
            "save it with save_to_disk first"
        )
    dataset = _open(source)
    titles = [edit(record) for record in read_dataset(source, labelled)]
    kept = [i for i, title in enumerate(titles) if title is not None]
    column = dataset.column_names[title_place(source, dataset.column_names)]
    copy = dataset.select(kept).map(
        lambda row, i: {column: titles[kept[i]]},
        with_indices=True,
        keep_in_memory=True,  # else its cache is written into the original folder
        features=dataset.features,
    )
    copy.save_to_disk(target)


def dataset_class_names(source: Source) -> list[str] | None:
    """The names of the label column's ClassLabel, where there is one."""
    dataset = _open(source)
    columns = list(dataset.features or {})
    place = label_place(source, columns, labelled=False)
    return None if place is None else _class_names(dataset, columns[place])


def _open(source: Source) -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingDependency("datasets", "train") from error
    try:
        if is_saved_dataset(Path(source.path)):
            found = datasets.load_from_disk(str(source.path))
        else:
            found = datasets.load_dataset(str(source.path), streaming=True)
    except Exception as error:  # the library raises many kinds, and those of its network client
        raise DataError(
            f"neither a file, nor a folder of titles, nor a dataset that the hub gives: {error}; "
            "check the path or the name",
            source.path,
        ) from error
    return _choose_split(source, found)


def _choose_split(source: Source, found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    if source.split in found:
        return found[source.split]
    if source.split is None and len(found) == 1:
        return next(iter(found.values()))
    asked = "no split is named" if source.split is None else f"there is no split '{source.split}'"
    raise UsageError(f"{source.path}: {asked}; pass one of --split {', '.join(found)}")


def _class_names(dataset: Any, column: str) -> list[str] | None:
    feature = (dataset.features or {}).get(column)
    return getattr(feature, "names", None)
