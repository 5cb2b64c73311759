"""The parquet format, read and copied a batch at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from models.errors import DataError, MissingDependency
from titles.byte_lines import is_url, opened
from titles.columns import date_place, free_names, label_place, title_place
from titles.record import Answer, Edit, Record, title_record
from titles.slices import Slice
from titles.source import Source

BATCH_ROWS = 4096
_HUB = b"huggingface"
"""Where `datasets` says which columns there are: of a copy with others, not the truth."""
TYPES: dict[type, Callable[[Any], Any]] = {
    str: lambda pa: pa.string(),
    float: lambda pa: pa.float64(),
    bool: lambda pa: pa.bool_(),
}


def read_parquet(source: Source, labelled: bool) -> Iterator[Record]:
    """The rows as records; `line` is the number of the row, from 1.

    Raises:
        DataError: the file is not Parquet, or a column is not in it.
        MissingDependency: pyarrow is not installed.
    """
    file = _open(source)
    columns = file.schema_arrow.names
    title, label = title_place(source, columns), label_place(source, columns, labelled)
    places = {title, label, date_place(columns)}
    wanted = [columns[place] for place in places if place is not None]
    line = 1
    for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=wanted):
        yield from _records(source, file, batch, line, labelled)
        line += len(batch)


def rewrite_parquet(source: Source, target: Path, labelled: bool, edit: Edit) -> None:
    """Write a copy of the rows that `edit` keeps, with all their columns and the same schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = _open(source)
    schema = file.schema_arrow
    place = title_place(source, schema.names)
    line = 1
    with pq.ParquetWriter(target, schema) as writer:
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            records = _records(source, file, batch, line, labelled)
            titles = [edit(record) for record in records]
            column = pa.array(titles, pa.string()).cast(schema.field(place).type)
            kept = pa.array([title is not None for title in titles])
            writer.write_batch(batch.set_column(place, schema.field(place), column).filter(kept))
            line += len(batch)


def extend_parquet(source: Source, target: Path, columns: Mapping[str, type], say: Answer) -> None:
    """Write a copy of the file with further columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = _open(source)
    schema = file.schema_arrow
    types = [TYPES[type_](pa) for type_ in columns.values()]
    names = free_names(list(columns), schema.names)
    metadata = {key: kept for key, kept in (schema.metadata or {}).items() if key != _HUB}
    for name, type_ in zip(names, types, strict=True):
        schema = schema.append(pa.field(name, type_))
    line = 1
    with pq.ParquetWriter(target, schema.with_metadata(metadata)) as writer:
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            answers = say(list(_records(source, file, batch, line, labelled=False)))
            added = zip(*answers, strict=True) if answers else ((),) * len(names)
            arrays = [pa.array(each, type_) for each, type_ in zip(added, types, strict=True)]
            writer.write_batch(pa.record_batch([*batch.columns, *arrays], schema=writer.schema))
            line += len(batch)


def parquet_slices(source: Source, rows: int) -> Iterator[Slice]:
    """The file in slices of so many rows.

    Raises:
        DataError: it is not Parquet, or has no column of titles.
    """
    file = _open(source)
    title_place(source, file.schema_arrow.names)
    for first in range(0, file.metadata.num_rows, rows):
        yield Slice(first, min(rows, file.metadata.num_rows - first))


def parquet_slice(source: Source, first: int, rows: int) -> tuple[Any, list[Record]]:
    """Some rows as a table of all their columns, and as records; other row groups are not read."""
    import pyarrow as pa

    file = _open(source)
    before, groups = 0, []
    for group in range(file.num_row_groups):
        start, before = before, before + file.metadata.row_group(group).num_rows
        if start < first + rows and before > first:
            groups.append((start, group))
    read = file.read_row_groups([group for _, group in groups])
    table = read.slice(first - groups[0][0], rows).combine_chunks()
    line = first + 1
    records: list[Record] = []
    for batch in table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]:
        records += _records(source, file, batch, line, labelled=False)
        line += len(batch)
    return table, records


def parquet_rows(source: Source) -> int:
    """How many rows the file has."""
    return int(_open(source).metadata.num_rows)


def parquet_class_names(source: Source) -> list[str] | None:
    """The names of the label column's ClassLabel, where `datasets` wrote the file."""
    schema = _open(source).schema_arrow
    place = label_place(source, schema.names, labelled=False)
    return None if place is None else _class_names(schema, schema.names[place])


def _open(source: Source) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependency("pyarrow", "tables") from error
    try:
        return pq.ParquetFile(opened(source.path) if is_url(source.path) else source.path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot be read as Parquet: {error}", source.path) from error


def _records(source: Source, file: Any, batch: Any, line: int, labelled: bool) -> Iterator[Record]:
    columns = batch.schema.names
    title, label = title_place(source, columns), label_place(source, columns, labelled)
    titles = _values(batch.column(title))
    labels: list[Any] = [None] * len(titles)
    if label is not None:
        names = _class_names(file.schema_arrow, columns[label])
        labels = [named(value, names) for value in _values(batch.column(label))]
    date = date_place(columns)
    dates = [None] * len(titles) if date is None else _values(batch.column(date))
    for number, values in enumerate(zip(titles, labels, dates, strict=True), line):
        yield title_record(number, *values[:2], labelled, values[2])


def _values(column: Any) -> list[Any]:
    """The values of a column; a byte that is not UTF-8 becomes a lone surrogate."""
    import pyarrow as pa

    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        raws = column.cast(pa.binary()).to_pylist()
        return [raw and raw.decode(errors="surrogateescape") for raw in raws]


def _class_names(schema: Any, column: str) -> list[str] | None:
    metadata = json.loads((schema.metadata or {}).get(_HUB, b"{}"))
    feature = metadata.get("info", {}).get("features", {}).get(column, {})
    return feature.get("names") if feature.get("_type") == "ClassLabel" else None


def named(value: Any, names: list[str] | None) -> Any:
    """The name of a ClassLabel's id; None for -1, which `datasets` writes where there is none."""
    if names is None or not isinstance(value, int):
        return value
    return None if value == -1 else names[value] if 0 <= value < len(names) else value
