"""The one inference thread, asked without HTTP."""

import asyncio
import threading
from collections.abc import Callable

import numpy as np
import pytest

from models.artifact import LoadedModel
from models.classifier import Scores
from service.errors import Unavailable
from service.inference import InferenceThread, classify


async def queued(thread: InferenceThread, work: Callable[[], object]) -> asyncio.Task[object]:
    """Work that the thread has, or will have once it is done with what it has."""
    asked = asyncio.ensure_future(thread.run(work))
    await asyncio.sleep(0)
    return asked


def test_work_whose_time_is_up_or_whose_asker_has_gone_is_dropped_from_the_queue():
    release, done = threading.Event(), []

    async def ask() -> None:
        thread = InferenceThread()
        begun = await queued(thread, lambda: release.wait(20))
        with pytest.raises(Unavailable, match=r"did not answer within 0\.01 s"):
            await thread.run(lambda: done.append("late"), timeout_s=0.01)
        gone = await queued(thread, lambda: done.append("gone"))
        gone.cancel()
        await asyncio.wait({gone})
        release.set()
        assert await begun is True
        await thread.run(lambda: done.append("last"))
        assert thread.close(timeout_s=10)

    asyncio.run(ask())

    assert done == ["last"]


def test_work_is_done_in_the_order_it_came_and_errors_are_its_askers():
    async def ask() -> list[object]:
        thread = InferenceThread()
        works: list[Callable[[], object]] = [lambda: 1, lambda: 1 // 0, lambda: 3]
        answers = await asyncio.gather(*map(thread.run, works), return_exceptions=True)
        thread.close(timeout_s=10)
        return answers

    first, failed, last = asyncio.run(ask())

    assert (first, last) == (1, 3)
    assert isinstance(failed, ZeroDivisionError)


def test_closing_says_whether_what_was_begun_has_ended():
    release = threading.Event()

    async def ask() -> bool:
        thread = InferenceThread()
        begun = await queued(thread, lambda: release.wait(20))
        ended = thread.close(timeout_s=0.01)
        release.set()
        await begun
        return ended

    assert asyncio.run(ask()) is False


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_rank_that_is_no_number_is_refused_wherever_it_stands(
    model: LoadedModel, monkeypatch: pytest.MonkeyPatch, place: int, score: float
):
    rows = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], dtype=np.float32)
    rows[1, place] = score
    monkeypatch.setattr(model.uncalibrated, "score", lambda _: Scores.of_whole_titles(rows))

    with pytest.raises(ArithmeticError, match="scored title 1 with NaN or infinity"):
        classify(model, ["股市", "球队"], top_k=3, calibrated=False)
