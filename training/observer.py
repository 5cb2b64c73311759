"""What a training run tells those who watch it, so that it needs to know none of them."""

from __future__ import annotations

from training.history import History


class Observer:
    """Told of a run's course. A subclass overrides what it wants to hear; the rest does nothing.

    `run_ended` follows `run_started` whatever comes between them: the last step, the end of
    patience, an error or an interrupt.
    """

    def run_started(self, step: int, total_steps: int) -> None:
        """Training begins after `step` steps: 0, or those of an interrupted run's checkpoint."""

    def step_done(self, step: int) -> None:
        """Step number `step`, counted from 1, is done."""

    def step_measured(self, row: dict[str, float]) -> None:
        """Every few steps: step, loss, learning_rate, titles_per_s."""

    def evaluated(self, history: History) -> None:
        """The last of `history.evaluations` is new."""

    def run_ended(self) -> None:
        """No more will be told; release what is held."""
