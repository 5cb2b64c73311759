"""What a section is made of; each block is written as HTML and as Markdown from the same content.

Every text in a block is plain: it is escaped when it is written, and may hold anything.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|~&$#])")


class Block(Protocol):
    """A part of a section."""

    def to_html(self) -> str: ...
    def to_markdown(self) -> str: ...


@dataclass(frozen=True)
class Paragraph:
    """Text, after a lead in bold type."""

    text: str
    lead: str = ""

    def to_html(self) -> str:
        lead = f"<strong>{escape_html(self.lead)}</strong> " if self.lead else ""
        return f"<p>{lead}{escape_html(self.text)}</p>"

    def to_markdown(self) -> str:
        lead = f"**{escape_markdown(self.lead)}** " if self.lead else ""
        return f"{lead}{escape_markdown(self.text)}"


@dataclass(frozen=True)
class Verdict:
    """What a reader who reads nothing else is to know, and why."""

    lead: str
    text: str

    def to_html(self) -> str:
        lead, text = escape_html(self.lead), escape_html(self.text)
        return f'<div class="verdict"><p class="lead">{lead}</p>\n<p>{text}</p></div>'

    def to_markdown(self) -> str:
        return f"**{escape_markdown(self.lead)}** {escape_markdown(self.text)}"


@dataclass(frozen=True)
class Facts:
    """Terms with what is to be said of them, in small letters."""

    items: Sequence[tuple[str, str]]

    def to_html(self) -> str:
        items = "\n".join(
            f"<div><dt>{escape_html(term)}</dt><dd>{escape_html(text)}</dd></div>"
            for term, text in self.items
        )
        return f'<dl class="facts">\n{items}\n</dl>'

    def to_markdown(self) -> str:
        return "\n".join(
            f"- {escape_markdown(term)}: {escape_markdown(text)}" for term, text in self.items
        )


@dataclass(frozen=True)
class Card:
    """One model in one role.

    Attributes:
        rows: (term, text).
    """

    role: str
    name: str
    figure: str
    note: str
    rows: Sequence[tuple[str, str]]
    is_marked: bool = False

    @property
    def shown_name(self) -> str:
        return f"{MARK} {self.name}" if self.is_marked else self.name

    def to_html(self) -> str:
        role, name, figure, note = map(
            escape_html, (self.role, self.shown_name, self.figure, self.note)
        )
        mark = " marked" if self.is_marked else ""
        return (
            f'<article class="card{mark}"><p class="role">{role}</p><h3>{name}</h3>\n'
            f'<p class="figure">{figure}</p><p class="note">{note}</p>\n'
            f"{Facts(self.rows).to_html()}</article>"
        )

    def to_markdown(self) -> str:
        role, name, figure, note = map(
            escape_markdown, (self.role, self.shown_name, self.figure, self.note)
        )
        return f"**{role}: {name}**, {figure} ({note})\n\n{Facts(self.rows).to_markdown()}"


@dataclass(frozen=True)
class Bullets:
    """A list of (lead in bold type, text)."""

    items: Sequence[tuple[str, str]]

    def to_html(self) -> str:
        items = "".join(
            f"<li><strong>{escape_html(lead)}</strong> {escape_html(text)}</li>\n"
            for lead, text in self.items
        )
        return f"<ul>\n{items}</ul>"

    def to_markdown(self) -> str:
        return "\n".join(
            f"- **{escape_markdown(lead)}** {escape_markdown(text)}" for lead, text in self.items
        )


MARK = "▶"
"""Before the name of the row that is recommended."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; on a narrow screen it scrolls, and the first column stays.

    In HTML a click on a head sorts the rows by that column, within their groups. The row whose
    first cell is `marked` stands out.

    Attributes:
        text_columns: the places, from 0, of the columns that hold text; the others hold numbers.
        shades: for each row a strength from 0 to 1 for each cell, shown in HTML as background.
        groups: what stands above the rows from a place on: {0: "Baselines", 5: "Encoders"}.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: Collection[int] = (0,)
    shades: Sequence[Sequence[float]] = field(default_factory=list)
    groups: Mapping[int, str] = field(default_factory=dict)
    marked: str | None = None

    def to_html(self) -> str:
        head = "".join(
            f'<th scope="col"{self._kind(i)}>{escape_html(name)}</th>'
            for i, name in enumerate(self.header)
        )
        body = "\n".join(
            self._group(number) + self._row(number, row) for number, row in enumerate(self.rows)
        )
        return (
            '<div class="wide" tabindex="0"><table>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
        )

    def to_markdown(self) -> str:
        rule = ["---" if i in self.text_columns else "--:" for i in range(len(self.header))]
        lines = [[escape_markdown(cell) for cell in self.header], rule]
        for number, row in enumerate(self.rows):
            if number in self.groups:
                empty = [""] * (len(self.header) - 1)
                lines.append([f"**{escape_markdown(self.groups[number])}**", *empty])
            cells = [escape_markdown(cell) for cell in (self._named(row[0]), *row[1:])]
            lines.append([f"**{cells[0]}**", *cells[1:]] if row[0] == self.marked else cells)
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    def _named(self, name: str) -> str:
        return f"{MARK} {name}" if name == self.marked else name

    def _group(self, number: int) -> str:
        if number not in self.groups:
            return ""
        empty = "<td></td>" * (len(self.header) - 1)
        name = escape_html(self.groups[number])
        return (
            f'</tbody>\n<tbody>\n<tr class="group"><th scope="rowgroup">{name}</th>{empty}</tr>\n'
        )

    def _row(self, number: int, row: Sequence[str]) -> str:
        cells = []
        for i, text in enumerate((self._named(row[0]), *row[1:])):
            shade = self.shades[number][i] if self.shades else 0.0
            style = f' style="--shade:{shade:.2f}"' if shade else ""
            tag = 'th scope="row"' if i == 0 else "td"
            cells.append(f"<{tag}{self._kind(i)}{style}>{escape_html(text)}</{tag[:2]}>")
        mark = ' class="marked"' if row[0] == self.marked else ""
        return f"<tr{mark}>{''.join(cells)}</tr>"

    def _kind(self, column: int) -> str:
        return "" if column in self.text_columns else ' class="number"'


@dataclass(frozen=True)
class Picture:
    """A drawing.

    Attributes:
        file_name: under which it lies beside the report, for Markdown.
        svg: the drawing, which HTML holds in itself.
        description: what a reader who does not see it is told.
    """

    file_name: str
    svg: str
    description: str

    def to_html(self) -> str:
        inline = self.svg[self.svg.index("<svg") :].replace(FOREGROUND, "currentColor")
        label = escape_html(self.description)
        return f'<figure role="img" aria-label="{label}">\n{inline}\n</figure>'

    def to_markdown(self) -> str:
        return f"![{escape_markdown(self.description)}]({self.file_name})"


@dataclass(frozen=True)
class Gallery:
    """Pictures or cards side by side where the screen is wide enough."""

    blocks: Sequence[Picture | Card]

    def to_html(self) -> str:
        inside = "\n".join(block.to_html() for block in self.blocks)
        return f'<div class="gallery">\n{inside}\n</div>'

    def to_markdown(self) -> str:
        return "\n\n".join(block.to_markdown() for block in self.blocks)


FOREGROUND = "#6b7280"
"""Lines and letters of a drawing: legible on white and on black; the page's own colour in HTML."""


@dataclass(frozen=True)
class Fold:
    """Blocks behind a line of text that opens them; Markdown shows them under it."""

    summary: str
    blocks: Sequence[Block]

    def to_html(self) -> str:
        inside = "\n".join(block.to_html() for block in self.blocks)
        return f"<details><summary>{escape_html(self.summary)}</summary>\n{inside}\n</details>"

    def to_markdown(self) -> str:
        inside = "\n\n".join(block.to_markdown() for block in self.blocks)
        return f"**{escape_markdown(self.summary)}**\n\n{inside}"


def escape_html(text: str) -> str:
    return html.escape(text, quote=True)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line and with plain spaces."""
    return _MARKDOWN_SIGNS.sub(r"\\\1", re.sub(r"[\r\n\t\u00a0 ]+", " ", text).strip())
