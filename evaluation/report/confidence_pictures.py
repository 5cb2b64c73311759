"""What a confidence is worth, as SVG: accuracy by confidence, and by how much is answered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.report.blocks import FOREGROUND
from evaluation.report.drawing import ACCENT, draw
from scoring.metrics import ReliabilityBin

_SIZE = (5.2, 4.0)


def draw_reliability(bins: Sequence[ReliabilityBin]) -> str:
    """Accuracy over mean confidence; the larger a point, the more titles."""
    return draw(partial(_paint_reliability, bins), _SIZE)


def draw_coverage(coverage: np.ndarray, accuracy: np.ndarray) -> str:
    """Accuracy of the answers over the share of the titles that is answered.

    Args:
        coverage, accuracy: (n,), with the threshold falling.
    """
    return draw(partial(_paint_coverage, 100 * coverage, 100 * accuracy), _SIZE)


def _paint_reliability(bins: Sequence[ReliabilityBin], figure: Figure, axes: Axes) -> None:
    confidence, accuracy = ([100 * getattr(row, k) for row in bins] for k in _OF_A_BIN)
    titles = np.array([row.titles for row in bins])
    axes.plot([0, 100], [0, 100], color=FOREGROUND, linestyle=":", alpha=0.7)
    axes.plot(confidence, accuracy, color=ACCENT, alpha=0.6)
    axes.scatter(confidence, accuracy, s=12 + 180 * titles / titles.max(), color=ACCENT, alpha=0.8)
    axes.set(xlim=(0, 103), ylim=(0, 103))
    axes.set(xlabel="mean confidence (%)", ylabel="accuracy (%)")


_OF_A_BIN = ("confidence", "accuracy")


def _paint_coverage(coverage: np.ndarray, accuracy: np.ndarray, figure: Figure, axes: Axes) -> None:
    enough = coverage >= min(5.0, coverage[-1])  # the first few titles tell nothing
    axes.plot(coverage[enough], accuracy[enough], color=ACCENT)
    axes.set(xlim=(0, 103), xlabel="titles answered (%)", ylabel="answers that are right (%)")
