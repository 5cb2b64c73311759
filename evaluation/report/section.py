"""A section of the report: what it shows, and the same as data for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.comparison import Comparison
from evaluation.report.blocks import Block


@dataclass(frozen=True)
class Content:
    """What one section says of one comparison.

    Attributes:
        blocks: for people; HTML and Markdown are both written from them.
        data: for programs, JSON-able: the same figures, not rounded.
    """

    blocks: Sequence[Block]
    data: Any


@dataclass(frozen=True)
class Section:
    """A section under its title.

    Attributes:
        id: its key in JSON and its anchor in HTML.
        write: makes its content; None leaves the section out, as where speed was not measured.
    """

    id: str
    title: str
    write: Callable[[Comparison], Content | None]
