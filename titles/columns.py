"""Which column of a table holds the titles, and which the labels."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import DataError
from titles.source import Source

TITLE_COLUMNS = ("title", "sentence", "text")
"""Tried in this order when no title column is named."""

LABEL_COLUMNS = ("label_desc", "label_name", "label_text", "label", "category")
"""Tried in this order when no label column is named: names first, because the numbers that stand
beside them (TNEWS: 100 to 116) are often a taxonomy's own and not places in a list."""


def title_candidates(source: Source) -> tuple[str, ...]:
    """The column named in the source, else the usual names."""
    return (source.title_column,) if source.title_column else TITLE_COLUMNS


def label_candidates(source: Source) -> tuple[str, ...]:
    """The column named in the source, else the usual names."""
    return (source.label_column,) if source.label_column else LABEL_COLUMNS


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
    if not labelled and not set(label_candidates(source)) & set(columns):
        return None
    return _place(source, columns, label_candidates(source), "--label-column")


def _place(source: Source, columns: Sequence[str], candidates: tuple[str, ...], option: str) -> int:
    for name in candidates:
        if name in columns:
            return list(columns).index(name)
    raise DataError(
        f"no column {' or '.join(candidates)} among {', '.join(columns) or '(none)'}; "
        f"name it with {option}",
        source.path,
    )
