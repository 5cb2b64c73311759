"""Whether the recommended model minds how long a title is."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Paragraph
from evaluation.report.section import Content, Section
from evaluation.report.slice_table import slice_table
from evaluation.slices import LENGTHS, lengths_of, slices


def write(comparison: Comparison) -> Content:
    chosen = advise(comparison).recommended
    parts = lengths_of(comparison.data.titles)
    found = slices(comparison.right(chosen), parts, LENGTHS, comparison.data)
    note = f"Of the titles of some class, those that {chosen.name} gets right."
    blocks: list[Block] = [Paragraph(note), slice_table(found, "characters")]
    return Content(blocks, {"model": chosen.name, "slices": [asdict(each) for each in found]})


SECTION = Section("lengths", "By length", write)
