"""Whether the recommended model gets worse as time goes on."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Paragraph
from evaluation.report.section import Content, Section
from evaluation.report.slice_table import slice_table
from evaluation.slices import months_of, slices


def write(comparison: Comparison) -> Content | None:
    months = months_of(comparison.data)
    if not any(months):
        return None
    chosen = advise(comparison).recommended
    order = sorted(filter(None, set(months)))
    found = slices(comparison.right(chosen), months, order, comparison.data)
    note = f"Of the titles of some class whose date is known, those that {chosen.name} gets right."
    blocks: list[Block] = [Paragraph(note), slice_table(found, "month")]
    return Content(blocks, {"model": chosen.name, "slices": [asdict(each) for each in found]})


SECTION = Section("months", "By month", write)
