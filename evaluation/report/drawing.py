"""What all drawings have in common: how they look, and how they become SVG."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.report.blocks import FOREGROUND

ACCENT = "#3b82f6"
"""Legible on white and on black, as `FOREGROUND` is."""
_STYLE: dict[Any, Any] = {  # matplotlib types the keys as literals
    "font.size": 11,
    "svg.fonttype": "path",  # the same letters on every machine
    "svg.hashsalt": "biaoti",  # the same file every time
    "text.color": FOREGROUND,
    "axes.edgecolor": FOREGROUND,
    "axes.labelcolor": FOREGROUND,
    "xtick.color": FOREGROUND,
    "ytick.color": FOREGROUND,
    "grid.color": FOREGROUND,
}


def draw(paint: Callable[[Figure, Axes], None], size: tuple[float, float] = (5.2, 4.8)) -> str:
    """An SVG of what `paint` puts on axes with a grid.

    Args:
        size: inches.
    """
    with matplotlib.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        paint(figure, axes)
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        plt.close(figure)
    return written.getvalue()
