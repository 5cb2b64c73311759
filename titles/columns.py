"""Which column of a table holds the titles, and which the labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from models.errors import DataError
from titles.source import Source

TITLE_COLUMNS = ("title", "sentence", "text", "headline", "标题", "新闻标题", "题目", "文本")
"""Tried in this order when no title column is named; upper and lower case are the same."""

LABEL_COLUMNS = (
    "label_desc",
    "label_name",
    "label_text",
    "label",
    "category",
    "class",
    "类别名称",
    "类别",
    "分类",
    "标签",
    "类目",
    "频道",
    "栏目",
)
"""Tried in this order when no label column is named: names first, because the numbers that stand
beside them (TNEWS: 100 to 116) are often a taxonomy's own and not places in a list."""

DATE_COLUMNS = ("date", "published", "publish_time", "日期", "发布日期", "发布时间")
"""Tried in this order; a table may well have none of them."""


class MissingColumn(DataError):
    """None of the columns is called as one that is needed; `what` leaves out how to name it."""

    def __init__(
        self, candidates: Sequence[str], columns: Sequence[str], option: str, path: str | Path
    ):
        shown = [repr(name)[1:-1] for name in columns]  # what cannot be printed is escaped
        self.what = f"no column {' or '.join(candidates)} among {', '.join(shown) or '(none)'}"
        super().__init__(f"{self.what}; name it with {option}", path)


def title_column(source: Source, columns: Sequence[str]) -> str | None:
    """The column that is named in the source, else the first of the usual names that is there."""
    return _column(columns, title_candidates(source))


def label_column(source: Source, columns: Sequence[str]) -> str | None:
    """The column that is named in the source, else the first of the usual names that is there."""
    return _column(columns, label_candidates(source))


def date_column(columns: Sequence[str]) -> str | None:
    """The first of the usual names that is there."""
    return _column(columns, DATE_COLUMNS)


def title_candidates(source: Source) -> tuple[str, ...]:
    """The column named in the source, else the usual names."""
    return (source.title_column,) if source.title_column else TITLE_COLUMNS


def label_candidates(source: Source) -> tuple[str, ...]:
    """The column named in the source, else the usual names."""
    return (source.label_column,) if source.label_column else LABEL_COLUMNS


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a line of two cells or more is no row but names the columns, by the usual names."""
    return bool(_column(cells, TITLE_COLUMNS)) and bool(_column(cells, LABEL_COLUMNS))


def title_place(source: Source, columns: Sequence[str]) -> int:
    """Place of the title column among `columns`.

    Raises:
        DataError: none of the candidates is there.
    """
    return _place(source, columns, title_candidates(source), "--title-column")


def label_place(source: Source, columns: Sequence[str], labelled: bool) -> int | None:
    """Place of the label column among `columns`; None when there is none and none is needed.

    Raises:
        DataError: `labelled`, and none of the candidates is there.
    """
    if not labelled and label_column(source, columns) is None:
        return None
    return _place(source, columns, label_candidates(source), "--label-column")


def date_place(columns: Sequence[str]) -> int | None:
    """Place of the column of dates among `columns`; None where there is none."""
    found = date_column(columns)
    return None if found is None else list(columns).index(found)


def free_names(names: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Names for columns beside those that are there; where one is taken, all get a prefix."""
    names, taken = list(names), set(taken)
    while taken.intersection(names):
        names = [f"biaoti_{name}" for name in names]
    return names


def _place(source: Source, columns: Sequence[str], candidates: tuple[str, ...], option: str) -> int:
    found = _column(columns, candidates)
    if found is not None:
        return list(columns).index(found)
    raise MissingColumn(candidates, columns, option, source.path)


def _column(columns: Sequence[str], candidates: tuple[str, ...]) -> str | None:
    """The first candidate that is a column, as it is written there; else one in another case."""
    for name in candidates:
        if name in columns:
            return name
    plain = {column.strip().casefold(): column for column in reversed(columns)}
    return next((plain[name.casefold()] for name in candidates if name.casefold() in plain), None)
