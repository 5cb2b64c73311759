"""The report as one HTML page that needs nothing else: no file beside it, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.report.blocks import escape_html
from evaluation.report.section import Content, Section

_STYLE = Path(__file__).with_name("page.css")
_SCRIPT = Path(__file__).with_name("page.js")
"""What makes tables sortable and opens all folds for printing; without it the page is whole."""


def write_page(title: str, parts: Sequence[tuple[Section, Content]]) -> str:
    """The page: the first section stands before the links to the others."""
    sections = [_section(section, content) for section, content in parts]
    links = "\n".join(
        f'<a href="#{escape_html(section.id)}">{escape_html(section.title)}</a>'
        for section, _ in parts[1:]
    )
    body = "\n".join([sections[0], f"<nav>{links}</nav>", *sections[1:]])
    style, script = (path.read_text(encoding="utf-8") for path in (_STYLE, _SCRIPT))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_html(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape_html(title)}</h1>\n{body}\n</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _section(section: Section, content: Content) -> str:
    blocks = "\n".join(block.to_html() for block in content.blocks)
    return (
        f'<section id="{escape_html(section.id)}">\n'
        f"<h2>{escape_html(section.title)}</h2>\n{blocks}\n</section>"
    )
