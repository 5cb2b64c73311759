"""How figures are written in a report, in every section alike."""

from __future__ import annotations

from collections.abc import Sequence

from models.labels import Labels

_TOGETHER = "\u00a0"
"""A space at which no line ends."""


def percent(share: float) -> str:
    """0.93741 as `93.74 %`."""
    return f"{100 * share:.2f}{_TOGETHER}%"


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


def megabytes(size: int) -> str:
    """Bytes in units of 10⁶."""
    return f"{size / 1e6:,.1f}"


def label(labels: Labels, label_id: int) -> str:
    """A class for readers: `体育 sports`, or its name where it has no other."""
    name, shown = labels.names[label_id], labels.display_names[label_id]
    return name if name == shown else f"{shown} {name}"


def listing(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
