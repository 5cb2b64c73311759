"""How often the recommended model is right in parts of the titles: a section's content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison
from evaluation.report.blocks import Paragraph, Table
from evaluation.report.section import Content
from evaluation.report.words import interval, percent
from evaluation.slices import ALL, Slice, slices


def slice_content(
    comparison: Comparison, parts: Sequence[str | None], order: Sequence[str], called: str, of: str
) -> Content:
    """A table with parts in rows and newsrooms in columns.

    Args:
        parts, order: as for `slices`.
        called: what the parts are, over their column.
        of: which titles are counted.
    """
    chosen = advise(comparison).recommended
    found = slices(comparison.right(chosen), parts, order, comparison.data)
    note = Paragraph(f"Of {of}, those that {chosen.name} gets right.")
    data = {"model": chosen.name, "slices": [asdict(each) for each in found]}
    return Content([note, _table(found, called)], data)


def _table(rows_of: Sequence[Slice], called: str) -> Table:
    """Of all titles with number and interval; of each newsroom, where there are several."""
    found = {(each.part, each.newsroom): each for each in rows_of}
    parts = dict.fromkeys(each.part for each in rows_of)
    newsrooms = [name for name in dict.fromkeys(each.newsroom for each in rows_of) if name != ALL]
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
