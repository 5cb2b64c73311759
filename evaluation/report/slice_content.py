"""Slices as a table: parts in rows, newsrooms in columns."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.report.blocks import Table
from evaluation.report.words import interval, percent
from evaluation.slices import ALL, Slice


def slice_table(slices: Sequence[Slice], called: str) -> Table:
    """Of all titles with number and interval; of each newsroom, where there are several.

    Args:
        called: what the parts are, over their column.
    """
    found = {(each.part, each.newsroom): each for each in slices}
    parts = dict.fromkeys(each.part for each in slices)
    newsrooms = [name for name in dict.fromkeys(each.newsroom for each in slices) if name != ALL]
    shown = newsrooms if len(newsrooms) > 1 else []
    rows = [
        [part, *_whole(found[part, ALL]), *(_cell(found.get((part, name))) for name in shown)]
        for part in parts
    ]
    return Table([called, "titles", "right", "95 % interval", *shown], rows)


def _whole(found: Slice) -> list[str]:
    return [f"{found.titles:,}", percent(found.right), interval(found.interval)]


def _cell(found: Slice | None) -> str:
    return "·" if found is None else f"{percent(found.right)} of {found.titles:,}"
