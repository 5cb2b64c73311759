"""How a picture is written: without a screen, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from models.staging import staged_file

matplotlib.use("Agg")


def write(figure: Figure, path: Path) -> Path:
    """Write the figure as a PNG, and close it; its folder is made if it is not there."""
    with staged_file(path) as neighbour:
        figure.savefig(neighbour, dpi=120, format="png")
    plt.close(figure)
    return path
