"""Loss and dev curves of a training run, as a picture."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from models.staging import staged_file
from training.history import History
from training.observer import Observer


class CurvesPicture(Observer):
    """Drawn anew at each evaluation.

    Args:
        path: of the PNG.
    """

    def __init__(self, path: Path):
        self.path = path

    def evaluated(self, history: History) -> None:
        draw_curves(history.steps, history.evaluations, self.path)


def draw_curves(
    steps: list[dict[str, float]], evaluations: list[dict[str, float]], path: Path
) -> None:
    """Write a PNG: the training loss and its running mean; below it the dev scores."""
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    at = [row["step"] for row in steps]
    loss = np.array([row["loss"] for row in steps])
    top.plot(at, loss, color="tab:blue", alpha=0.25, linewidth=0.8)
    if len(loss):
        top.plot(at, _running_mean(loss), color="tab:blue", label="training loss")
    if any("loss" in row for row in evaluations):
        points = [(row["step"], row["loss"]) for row in evaluations if "loss" in row]
        top.plot(*zip(*points, strict=True), "o-", color="tab:orange", label="dev loss")
    top.set_ylabel("loss")
    if top.get_legend_handles_labels()[0]:
        top.legend()
    for name in ("accuracy", "macro_f1"):
        points = [(row["step"], row[name]) for row in evaluations if name in row]
        if points:
            bottom.plot(*zip(*points, strict=True), "o-", label=f"dev {name}")
    bottom.set_xlabel("step")
    bottom.set_ylabel("score")
    if bottom.lines:
        bottom.legend()
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    with staged_file(path) as neighbour:
        figure.savefig(neighbour, dpi=120, format="png")
    plt.close(figure)


def _running_mean(values: np.ndarray, window: int = 15) -> np.ndarray:
    """Mean of the last `window` values at each place, of fewer at the start."""
    sums = np.cumsum(np.insert(values, 0, 0.0))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - window)
    means: np.ndarray = (sums[ends] - sums[starts]) / (ends - starts)
    return means
