"""What a reader has to know before believing a figure of this report."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.comparison import Comparison
from evaluation.report.blocks import Bullets, Paragraph
from evaluation.report.section import Content, Section


def write(comparison: Comparison) -> Content:
    remarks = comparison.remarks
    if not remarks:
        return Content([Paragraph("Nothing was noticed that speaks against these figures.")], [])
    items = [(f"{remark.code}:", f"{remark.message}.") for remark in remarks]
    return Content([Bullets(items)], [asdict(remark) for remark in remarks])


SECTION = Section("remarks", "Before you believe it", write)
