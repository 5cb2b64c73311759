"""A comparison as `report.html`, `report.md` and `report.json`, all from the same sections."""

from evaluation.report.section import Content, Section
from evaluation.report.sections import SECTIONS
from evaluation.report.write import write_report

__all__ = ["SECTIONS", "Content", "Section", "write_report"]
