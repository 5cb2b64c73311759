"""How figures are written in a report, in every section alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.labels import Labels
from titles import LabelledTitles

_TOGETHER = "\u00a0"
"""A space at which no line ends."""


def percent(share: float) -> str:
    """0.93741 as `93.74 %`."""
    return f"{100 * share:.2f}{_TOGETHER}%"


def share(value: float | None) -> str:
    """The same, or a dot where there is nothing to tell it by."""
    return "·" if value is None else percent(value)


def interval(ends: Sequence[float]) -> str:
    """The ends of an interval as `93.26–94.21 %`."""
    low, high = ends
    return f"{100 * low:.2f}–{100 * high:.2f}{_TOGETHER}%"


def points(share: float) -> str:
    """A difference of two shares, as `0.40 points`."""
    return f"{100 * share:.2f} points"


def p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def p_equals(value: float) -> str:
    """A p value in a sentence: `p = 0.031`, `p < 0.001`."""
    shown = "< 0.001" if value < 0.001 else f"= {value:.3f}"
    return f"p {shown}".replace(" ", _TOGETHER)


def core_hours(hours: float | None, price: float = 0.0) -> str:
    """What a million titles take: `0.10 core-hours`, with a price `0.10 core-hours, 0.005`."""
    if hours is None:
        return "not measured"
    return f"{hours:.2g} core-hours" + (f", costs {hours * price:.2g}" if price else "")


def megabytes(size: int) -> str:
    """Bytes in units of 10⁶."""
    return f"{size / 1e6:,.1f}"


def label(labels: Labels, label_id: int) -> str:
    """A class for readers: `体育 sports`, or its name where it has no other."""
    name, shown = labels.names[label_id], labels.display_names[label_id]
    return name if name == shown else f"{shown} {name}"


def gold(data: LabelledTitles, title: int) -> str:
    """What a title is: its class, or the classes that its newsroom's label may mean."""
    names = [label(data.labels, int(i)) for i in np.flatnonzero(data.may_be[title])]
    return listing(names, "or") or "none of the classes"


def listing(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
