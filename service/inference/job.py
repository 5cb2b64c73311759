"""The titles of one request, on their way to their scores."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from models.classifier import Scores


class Job:
    """Titles that are scored in one batch or in several, and answered whole.

    Made on the event loop. Threads take titles off it and bring scores, under the engine's lock;
    `answer` is resolved on the loop again.

    Args:
        titles: at least one.
        began: in seconds of the engine's clock.
        deadline: in seconds of the same; titles that wait beyond it are not scored.
    """

    def __init__(self, titles: Sequence[str], began: float, deadline: float):
        self.titles = titles
        self.began = began
        self.deadline = deadline
        self.taken = 0
        """How many of the titles threads have taken so far, from the front."""
        self.taken_at = began
        """When the first of them was taken."""
        self.answer: asyncio.Future[Scores] = asyncio.get_running_loop().create_future()
        self._parts: list[tuple[int, Scores]] = []

    @property
    def waiting(self) -> int:
        """Titles that no thread has taken."""
        return len(self.titles) - self.taken

    def is_over(self, now: float) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.answer.done() or now >= self.deadline

    def bring(self, start: int, scores: Scores) -> bool:
        """Add the scores of the titles from `start` on; whether all are there now."""
        self._parts.append((start, scores))
        return sum(len(part.truncated) for _, part in self._parts) == len(self.titles)

    def resolve(self) -> None:
        """Answer with the scores of all titles, in their order."""
        if self.answer.done():
            return
        if len(self._parts) == 1:
            self.answer.set_result(self._parts[0][1])
            return
        parts = [scores for _, scores in sorted(self._parts, key=lambda part: part[0])]
        probabilities, truncated = zip(*parts, strict=True)
        self.answer.set_result(Scores(np.concatenate(probabilities), np.concatenate(truncated)))

    def fail(self, error: BaseException) -> None:
        """Answer with an error."""
        if not self.answer.done():
            self.answer.set_exception(error)
