"""The score against a cost, with the Pareto front, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from evaluation.report.blocks import FOREGROUND
from evaluation.report.drawing import ACCENT, draw
from evaluation.report.label_placement import LEADER, Box, place_labels

_GAP = np.array([6.0, 3.0])
"""Pixels around a label."""
_LINE = 2.0
"""Half the width of what a label keeps off a line."""


@dataclass(frozen=True)
class Points:
    """Models in a picture; every field has one entry a model.

    Attributes:
        names: in ASCII, since other letters may be missing on a machine.
        costs: above 0.
        intervals: 95 % intervals of the scores.
    """

    names: Sequence[str]
    costs: Sequence[float]
    scores: Sequence[float]
    intervals: Sequence[tuple[float, float]]
    on_front: Sequence[bool]


@dataclass(frozen=True)
class Axis:
    """What is drawn over what.

    Attributes:
        more_is_better: as of titles a second, where less is better of a cost.
    """

    cost: str
    score: str
    more_is_better: bool = False


def draw_front(points: Points, axis: Axis) -> str:
    """An SVG: the score in percent over the cost on a log scale, intervals, the front in blue."""
    return draw(partial(_paint, points, axis))


def _paint(points: Points, axis: Axis, figure: Figure, axes: Axes) -> None:
    costs, front = np.array(points.costs), np.array(points.on_front)
    scores, intervals = 100 * np.array(points.scores), 100 * np.array(points.intervals)
    steps = _steps(costs[front], scores[front], axis.more_is_better)
    axes.vlines(costs, intervals[:, 0], intervals[:, 1], color=FOREGROUND, alpha=0.35, lw=1)
    axes.plot(*steps.T, color=ACCENT, linestyle="--", alpha=0.5)
    for chosen, colour, fill in ((front, ACCENT, ACCENT), (~front, FOREGROUND, "none")):
        axes.plot(costs[chosen], scores[chosen], "o", color=colour, markerfacecolor=fill)
    axes.set(xlabel=axis.cost, ylabel=f"{axis.score} (%), 95 % interval", xscale="log")
    axes.margins(x=0.12, y=0.1)
    _label_decades(axes, points.costs)
    figure.draw_without_rendering()  # else the axes' place is not known yet
    figure.set_layout_engine("none")
    places = axes.transData.transform(np.column_stack([costs, scores]))
    ends = [axes.transData.transform(np.column_stack([costs, end])) for end in intervals.T]
    corners = axes.transData.transform(steps) if len(steps) else steps
    lines = [_box(*line) for line in [*zip(*ends, strict=True), *pairwise(corners)]]
    _name_points(axes, points, places, lines)


def _steps(costs: np.ndarray, scores: np.ndarray, more_is_better: bool) -> np.ndarray:
    """(m, 2) corners of the line below which everything is beaten by a point of the front."""
    order = np.argsort(costs, kind="stable")
    found: list[tuple[float, float]] = []
    for cost, score in zip(costs[order].tolist(), scores[order].tolist(), strict=True):
        if found:
            before = found[-1]
            found.append((before[0], score) if more_is_better else (cost, before[1]))
        found.append((cost, score))
    return np.array(found).reshape(-1, 2)


def _box(one: np.ndarray, other: np.ndarray) -> Box:
    """A line along an axis, with some room on both sides."""
    left, bottom = np.minimum(one, other) - _LINE
    right, top = np.maximum(one, other) + _LINE
    return float(left), float(bottom), float(right), float(top)


def _label_decades(axes: Axes, costs: Sequence[float]) -> None:
    """Plain numbers on the log axis: 1 2 5 10 …, or 1 10 100 … where it is long."""
    decades = math.log10(max(costs) / min(costs)) if min(costs) > 0 else 0
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > 2.5 else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _name_points(axes: Axes, points: Points, places: np.ndarray, lines: Sequence[Box]) -> None:
    """Write each model's name beside its point, with a line to it where it had to go far."""
    order = np.argsort([not is_on_it for is_on_it in points.on_front], kind="stable")
    places = places[order]
    texts = [
        axes.text(0, 0, points.names[i], transform=axes.transAxes, fontsize=9.5) for i in order
    ]
    extents = [text.get_window_extent() for text in texts]
    sizes = np.array([[extent.width, extent.height] for extent in extents])
    corners = place_labels(places, sizes + _GAP, axes.bbox.extents, lines) + _GAP / 2
    to_axes = axes.transAxes.inverted()
    for text, place, corner, size in zip(texts, places, corners, sizes, strict=True):
        text.set_position(tuple(to_axes.transform(corner)))
        nearest = np.clip(place, corner, corner + size)  # the label's point nearest to the model
        if np.hypot(*(nearest - place)) >= LEADER:
            line = to_axes.transform([place, nearest])
            axes.plot(*line.T, transform=axes.transAxes, color=FOREGROUND, lw=0.7, ls=":", zorder=1)
