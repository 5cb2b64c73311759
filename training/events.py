"""The curves of a run for TensorBoard: `tensorboard --logdir FOLDER`."""

from __future__ import annotations

from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from training.history import History
from training.observer import Observer


class EventsWriter(Observer):
    """Writes a run's event files into a folder; a resumed run overwrites what it repeats."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run_started(self, step: int, total_steps: int) -> None:
        self.writer = SummaryWriter(self.folder, purge_step=step)

    def step_measured(self, row: dict[str, float]) -> None:
        self._add(row, prefix="")

    def evaluated(self, history: History) -> None:
        self._add(history.evaluations[-1], prefix="dev/")

    def run_ended(self) -> None:
        self.writer.close()

    def _add(self, row: dict[str, float], prefix: str) -> None:
        for name, value in row.items():
            if name != "step":
                self.writer.add_scalar(prefix + name, value, int(row["step"]))
