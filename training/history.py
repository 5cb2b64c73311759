"""What a training run measured."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class History:
    """A row every few steps, and a row an evaluation."""

    steps: list[dict[str, float]] = field(default_factory=list)
    """Each: step, loss, learning_rate, titles_per_s."""
    evaluations: list[dict[str, float]] = field(default_factory=list)
    """Each: step, score and whatever else the evaluation gave."""
    seconds: float = 0.0
    """Training time, all sessions of an interrupted run together."""

    @property
    def best(self) -> dict[str, float]:
        """The evaluation with the highest score, the first of equals."""
        return max(self.evaluations, key=lambda row: row["score"])

    @property
    def evaluations_since_best(self) -> int:
        """How many evaluations have passed without a better score."""
        if not self.evaluations:
            return 0
        return len(self.evaluations) - 1 - self.evaluations.index(self.best)
