"""Whether the recommended model gets worse as time goes on."""

from __future__ import annotations

from evaluation.comparison import Comparison
from evaluation.report.section import Content, Section
from evaluation.report.slice_content import slice_content
from evaluation.slices import months_of


def write(comparison: Comparison) -> Content | None:
    months = months_of(comparison.data)
    if not any(months):
        return None
    order = sorted(filter(None, set(months)))
    dated = "the titles of some class whose date is known"
    return slice_content(comparison, months, order, "month", dated)


SECTION = Section("months", "By month", write)
