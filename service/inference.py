"""The one thread that a model runs on.

Fast tokenizers must not be shared between threads, and an inference must not hold up the event
loop: so everything that touches the model is queued for a thread of its own.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from models.artifact import LoadedModel
from models.classifier import Prediction, predict
from service.errors import Unavailable

T = TypeVar("T")

PROBE_TITLE = "央行公开市场净投放 月末资金面平稳"


class InferenceThread:
    """Runs work in the order it comes, one piece at a time."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="inference")

    async def run(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        """The result of `work`; work that has not begun when the time is up is dropped.

        Raises:
            Unavailable: no result within `timeout_s` seconds.
        """
        future = asyncio.wrap_future(self._executor.submit(work))
        try:
            await asyncio.wait({future}, timeout=timeout_s)
            if future.done():
                return future.result()
        finally:
            future.cancel()  # also when the one who asked was cancelled
        raise Unavailable(
            "inference_timeout",
            f"the model did not answer within {timeout_s:g} s; try again later",
        )

    def close(self, timeout_s: float) -> bool:
        """Stop taking work; whether what was begun has ended within `timeout_s` seconds."""
        last = self._executor.submit(lambda: None)
        self._executor.shutdown(wait=False)
        try:
            last.result(timeout_s)
        except TimeoutError:
            last.cancel()
            return False
        return True


def classify(
    model: LoadedModel, titles: Sequence[str], top_k: int, calibrated: bool
) -> list[Prediction]:
    """Predictions in the titles' order, by calibrated scores or by those before calibration.

    Raises:
        ArithmeticError: the model scored a title with NaN or infinity.
    """
    chosen = (model, model.manifest.threshold) if calibrated else (model.uncalibrated, 0.0)
    predictions = predict(chosen[0], titles, top_k, chosen[1])
    for index, prediction in enumerate(predictions):
        if not all(math.isfinite(ranked.score) for ranked in prediction.ranking):
            raise ArithmeticError(f"the model scored title {index} with NaN or infinity")
    return predictions


def probe(model: LoadedModel) -> None:
    """Score one title; raises whatever the model raises."""
    classify(model, [PROBE_TITLE], top_k=len(model.labels), calibrated=True)
