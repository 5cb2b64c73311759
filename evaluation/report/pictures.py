"""Accuracy against a cost, with the Pareto front, as SVG."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from evaluation.report.blocks import FOREGROUND
from evaluation.report.label_placement import place_labels

_FRONT = "#3b82f6"
_SPAN = 0.05
"""Models farther behind the best, 5 points, lie at the lower edge, so that the others lie apart."""
_GAP = np.array([6.0, 2.0])
"""Pixels around a label."""
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


@dataclass(frozen=True)
class Points:
    """Models in a picture; every field has one entry a model.

    Attributes:
        names: in ASCII, since other letters may be missing on a machine.
        costs: above 0.
        intervals: 95 % intervals of the accuracies.
    """

    names: Sequence[str]
    costs: Sequence[float]
    accuracies: Sequence[float]
    intervals: Sequence[tuple[float, float]]
    on_front: Sequence[bool]


def draw_front(points: Points, cost_axis: str) -> str:
    """An SVG: accuracy in percent over cost on a log scale, intervals, and the front in blue.

    A model more than 5 points behind the best is a triangle at the lower edge, with its accuracy.
    """
    with matplotlib.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(5.2, 4.8), layout="constrained")
        _draw_points(axes, points)
        axes.set(xlabel=cost_axis, ylabel="accuracy (%), 95 % interval", xscale="log")
        axes.margins(x=0.12, y=0.08)
        _label_decades(axes, points.costs)
        axes.grid(alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        _name_points(figure, axes, points)
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        plt.close(figure)
    return written.getvalue()


def _heights(points: Points) -> np.ndarray:
    """Where the models lie, in percent; those that are far behind lie at the edge."""
    accuracies = np.array(points.accuracies)
    heights: np.ndarray = 100 * np.maximum(accuracies, _edge(points))
    return heights


def _edge(points: Points) -> float:
    return max(points.accuracies) - _SPAN


def _draw_points(axes: Axes, points: Points) -> None:
    costs, front, heights = np.array(points.costs), np.array(points.on_front), _heights(points)
    behind = np.array(points.accuracies) < _edge(points)
    ends = 100 * np.maximum(np.array(points.intervals), _edge(points))
    axes.vlines(costs, ends[:, 0], ends[:, 1], color=FOREGROUND, alpha=0.4, linewidth=1)
    order = np.flatnonzero(front)[np.argsort(costs[front], kind="stable")]
    axes.step(costs[order], heights[order], where="post", color=_FRONT, linestyle="--", alpha=0.4)
    for chosen, colour, fill in ((front, _FRONT, _FRONT), (~front, FOREGROUND, "none")):
        for marker, those in (("o", chosen & ~behind), ("v", chosen & behind)):
            axes.plot(costs[those], heights[those], marker, color=colour, markerfacecolor=fill)


def _label_decades(axes: Axes, costs: Sequence[float]) -> None:
    """Plain numbers on the log axis: 1 2 5 10 …, or 1 10 100 … where it is long."""
    decades = math.log10(max(costs) / min(costs)) if min(costs) > 0 else 0
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > 2.5 else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _name_points(figure: Figure, axes: Axes, points: Points) -> None:
    """Write each model's name beside its point, with a line to it where it had to go far."""
    figure.draw_without_rendering()  # else the axes' place is not known yet
    figure.set_layout_engine("none")
    order = np.argsort([not is_on_it for is_on_it in points.on_front], kind="stable")
    places = axes.transData.transform(np.column_stack([points.costs, _heights(points)]))[order]
    texts = [
        axes.text(0, 0, _shown_name(points, i), transform=axes.transAxes, fontsize=9.5)
        for i in order
    ]
    extents = [text.get_window_extent() for text in texts]
    sizes = np.array([[extent.width, extent.height] for extent in extents])
    corners = place_labels(places, sizes + _GAP, axes.bbox.extents) + _GAP / 2
    to_axes = axes.transAxes.inverted()
    for text, place, corner, size in zip(texts, places, corners, sizes, strict=True):
        text.set_position(tuple(to_axes.transform(corner)))
        nearest = np.clip(place, corner, corner + size)  # the label's point nearest to the model
        if np.hypot(*(nearest - place)) > 15:
            line = to_axes.transform([place, nearest])
            axes.plot(*line.T, transform=axes.transAxes, color=FOREGROUND, lw=0.7, ls=":", zorder=1)


def _shown_name(points: Points, number: int) -> str:
    name, accuracy = points.names[number], points.accuracies[number]
    return name if accuracy >= _edge(points) else f"{name} {100 * accuracy:.1f}"
