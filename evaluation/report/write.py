"""Write a report: the page, the same in Markdown with its pictures, and the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Fold, Gallery, Picture
from evaluation.report.page import write_page
from evaluation.report.section import Content, Section
from evaluation.report.sections import SECTIONS
from models.outputs import OutputKind, lacks
from models.staging import staged_files

TITLE = "Model comparison"
DATA = "report.json"
REPORT = OutputKind("a report", lacks(DATA), in_place=True)
"""The folder that `write_report` writes to."""


def write_report(
    comparison: Comparison, folder: Path, sections: Sequence[Section] = SECTIONS
) -> list[Path]:
    """Write `report.html`, `report.md`, `report.json` and the pictures of Markdown to `folder`.

    Returns:
        The files written, the page first.
    """
    found = [(section, section.write(comparison)) for section in sections]
    parts = [(section, content) for section, content in found if content is not None]
    files = {
        "report.html": write_page(TITLE, parts),
        "report.md": _markdown(parts),
        DATA: _json(parts),
    }
    for _, content in parts:
        files |= {picture.file_name: picture.svg for picture in _pictures(content.blocks)}
    with staged_files(folder) as new:
        for name, text in files.items():
            (new / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def _markdown(parts: Sequence[tuple[Section, Content]]) -> str:
    written = [f"# {TITLE}"]
    for section, content in parts:
        written += [f"## {section.title}", *(block.to_markdown() for block in content.blocks)]
    return "\n\n".join(written) + "\n"


def _json(parts: Sequence[tuple[Section, Content]]) -> str:
    data = {section.id: content.data for section, content in parts}
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _pictures(blocks: Iterable[Block]) -> list[Picture]:
    found = []
    for block in blocks:
        if isinstance(block, Picture):
            found.append(block)
        elif isinstance(block, Fold | Gallery):
            found += _pictures(block.blocks)
    return found
