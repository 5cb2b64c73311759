"""Whether the recommended model minds how long a title is."""

from __future__ import annotations

from evaluation.comparison import Comparison
from evaluation.report.section import Content, Section
from evaluation.report.slice_content import slice_content
from evaluation.slices import LENGTHS, lengths_of


def write(comparison: Comparison) -> Content:
    parts = lengths_of(comparison.data.titles)
    return slice_content(comparison, parts, LENGTHS, "characters", "the titles of some class")


SECTION = Section("lengths", "By length", write)
