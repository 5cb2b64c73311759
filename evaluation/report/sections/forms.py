"""Whether the recommended model changes its mind where only a title's form changes."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import percent

_HEADER = ("change of form", "titles changed", "another class")


def write(comparison: Comparison) -> Content | None:
    if not comparison.forms:
        return None
    chosen = advise(comparison).recommended
    rows = [[each.form, f"{each.titles:,}", percent(each.flipped)] for each in comparison.forms]
    note = (
        f"Of the titles that a change of form changes, those to which {chosen.name} then gives "
        "another class, right or wrong."
    )
    blocks: list[Block] = [Paragraph(note), Table(_HEADER, rows)]
    data = {"model": chosen.name, "forms": [asdict(each) for each in comparison.forms]}
    return Content(blocks, data)


SECTION = Section("forms", "By form", write)
