"""A bar on standard error: how far a run is, how fast it goes, and each dev score."""

from __future__ import annotations

import os
import sys

from tqdm import tqdm

from training.history import History
from training.observer import Observer


class ProgressBar(Observer):
    """Redrawn every second in a terminal, every half minute in a log file."""

    def run_started(self, step: int, total_steps: int) -> None:
        self.bar = tqdm(
            total=total_steps,
            initial=step,
            unit="step",
            mininterval=1 if os.isatty(2) else 30,
            dynamic_ncols=True,
        )

    def step_done(self, step: int) -> None:
        self.bar.update(1)

    def step_measured(self, row: dict[str, float]) -> None:
        loss, speed = f"{row['loss']:.3f}", f"{row['titles_per_s']:.0f}"
        self.bar.set_postfix(loss=loss, titles_per_s=speed, refresh=False)

    def evaluated(self, history: History) -> None:
        row = history.evaluations[-1]
        shown = "  ".join(f"{name} {value:.4f}" for name, value in row.items() if name != "step")
        self.bar.write(f"step {row['step']:.0f}/{self.bar.total}  dev {shown}", file=sys.stderr)

    def run_ended(self) -> None:
        self.bar.close()
