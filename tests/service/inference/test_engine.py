"""Jobs, batches and threads, without HTTP."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import pytest

from models.artifact import LoadedModel
from models.classifier import Scores
from service.inference.batching import BatchLimits
from service.inference.engine import Engine
from service.problems import InferenceFailed


async def watching(engine: Engine, every_s: float, probe_after_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await engine.look(probe_after_s)


def run(
    model: LoadedModel, ask: Callable[[Engine], Awaitable[Any]], threads: int = 1,
    hung_after_s: float = 60.0,
) -> Any:  # fmt: skip
    """What `ask` gives, of an engine that is started and closed around it."""

    async def whole() -> Any:
        engine = Engine(model, threads, hung_after_s)
        await engine.start()
        try:
            return await ask(engine)
        finally:
            assert engine.close(timeout_s=10)

    return asyncio.run(whole())


@pytest.fixture
def batches(route, monkeypatch) -> list[list[str]]:
    """The titles of every pass over the model, after the warm-up."""
    found: list[list[str]] = []
    score = route.score

    def noted(titles: Sequence[str]) -> Scores:
        found.append(list(titles))
        return score(titles)

    monkeypatch.setattr(route, "score", noted)
    return found


def test_jobs_that_wait_together_are_scored_in_one_pass_and_answered_apart(model, route, batches):
    release = threading.Event()

    async def ask(engine: Engine) -> list[Scores]:
        route.before_scoring = lambda: release.wait(20)
        first = engine.submit(["玩"], 30)
        while engine.waiting_titles:
            await asyncio.sleep(0.001)
        others = [engine.submit(titles, 30) for titles in (["股"], ["球", "球球"])]
        batches.clear()
        release.set()
        return [await job.answer for job in (first, *others)]

    game, stocks, sports = run(model, ask)

    assert batches[-1] == ["股", "球", "球球"]
    assert game.probabilities.argmax(axis=1).tolist() == [2]
    assert stocks.probabilities.argmax(axis=1).tolist() == [0]
    assert sports.probabilities.argmax(axis=1).tolist() == [1, 1]
    assert sports.probabilities[1, 1] > sports.probabilities[0, 1]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_job_of_many_titles_is_answered_in_their_order(model, route, batches, threads):
    type(route).shared_by_threads = True
    titles = ["股" * (i % 5) + "球" * (i % 3) for i in range(200)]
    expected = route.score(titles)

    async def ask(engine: Engine) -> Scores:
        engine.limits = BatchLimits(7, 1000)
        return await engine.submit(titles, 30).answer

    try:
        found = run(model, ask, threads)
    finally:
        type(route).shared_by_threads = False

    assert (found.probabilities == expected.probabilities).all()
    assert (found.truncated == expected.truncated).all()
    assert max(map(len, batches[-20:])) == 7


def test_of_a_batch_that_the_model_fails_at_the_others_are_answered(
    model, route, monkeypatch, grown
):
    release = threading.Event()
    score = route.score

    def failing(titles: Sequence[str]) -> Scores:
        if "败" in titles:
            raise RuntimeError("the model broke")
        return score(titles)

    monkeypatch.setattr(route, "score", failing)

    async def ask(engine: Engine) -> list[Any]:
        route.before_scoring = lambda: release.wait(20)
        first = engine.submit(["玩"], 30)
        while engine.waiting_titles:
            await asyncio.sleep(0.001)
        jobs = [engine.submit([title], 30) for title in ("股", "败", "球")]
        release.set()
        await first.answer
        found = await asyncio.gather(*(job.answer for job in jobs), return_exceptions=True)
        return [*found, grown("biaoti_failed_jobs_total")]

    stocks, error, sports, failures = run(model, ask)

    assert stocks.probabilities.argmax() == 0
    assert isinstance(error, RuntimeError)
    assert sports.probabilities.argmax() == 1
    assert failures == 1


def test_what_is_cancelled_while_it_waits_is_never_scored_and_is_counted(
    model, route, batches, grown
):
    release = threading.Event()

    async def ask(engine: Engine) -> float:
        route.before_scoring = lambda: release.wait(20)
        first = engine.submit(["玩"], 30)
        while engine.waiting_titles:
            await asyncio.sleep(0.001)
        gone = engine.submit(["股", "股股"], 30)
        late = engine.submit(["球"], 0.01)
        gone.answer.cancel()
        await asyncio.sleep(0.02)
        release.set()
        await first.answer
        await engine.submit(["玩玩"], 30).answer
        assert not late.answer.done()
        return grown("biaoti_dropped_titles_total")

    assert run(model, ask) == 3
    scored = [title for batch in batches for title in batch]
    assert not {"股", "股股", "球"} & set(scored)


def test_a_thread_that_hangs_is_replaced_and_what_it_brings_later_is_not_wanted(
    model, route, grown
):
    release, answers, threads = threading.Event(), threading.Event(), set()

    def hang_once() -> None:
        threads.add(threading.get_ident())
        (release if len(threads) == 1 else answers).wait(20)

    async def ask(engine: Engine) -> tuple[bool, bool, float]:
        watch = asyncio.create_task(watching(engine, 0.02, probe_after_s=60))
        route.before_scoring = hang_once
        hung = engine.submit(["股"], 30)
        while not grown("biaoti_restarted_threads_total"):
            await asyncio.sleep(0.01)
        was_ready = engine.is_ready()  # no probe can have been answered yet
        answers.set()
        with pytest.raises(InferenceFailed, match=r"hung for 0\.5 s"):
            await hung.answer
        again = await engine.submit(["球"], 30).answer
        while not engine.is_ready():
            await asyncio.sleep(0.01)
        release.set()
        watch.cancel()
        is_right = bool(again.probabilities.argmax() == 1)
        return was_ready, is_right, grown("biaoti_restarted_threads_total")

    was_ready, is_right, restarts = run(model, ask, hung_after_s=0.5)

    assert not was_ready
    assert is_right
    assert restarts == 1


def test_a_model_that_is_not_used_is_asked_now_and_then(model, route, batches):
    async def ask(engine: Engine) -> None:
        watch = asyncio.create_task(watching(engine, 0.01, probe_after_s=0.05))
        route.before_scoring = lambda: 1 / 0
        while engine.is_ready():
            await asyncio.sleep(0.01)
        route.before_scoring = lambda: None
        while not engine.is_ready():
            await asyncio.sleep(0.01)
        watch.cancel()

    run(model, ask)


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_score_that_is_no_number_is_an_error_wherever_it_stands(
    model, route, monkeypatch, place: int, score: float
):
    async def ask(engine: Engine) -> None:
        rows = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], dtype=np.float32)
        rows[1, place] = score
        monkeypatch.setattr(route, "score", lambda _: Scores.of_whole_titles(rows))
        with pytest.raises(ArithmeticError, match="scored a title with NaN or infinity"):
            await engine.submit(["股市", "球队"], 30).answer

    run(model, ask)


def test_a_model_that_cannot_answer_does_not_start(model, route):
    route.before_scoring = lambda: 1 / 0

    with pytest.raises(ZeroDivisionError):
        asyncio.run(Engine(model, 1, 60.0).start())


def test_closing_says_whether_what_was_begun_has_ended(model, route):
    release = threading.Event()

    async def ask() -> tuple[bool, bool]:
        engine = Engine(model, 1, 60.0)
        await engine.start()
        route.before_scoring = lambda: release.wait(20)
        engine.submit(["股"], 30)
        while engine.waiting_titles:
            await asyncio.sleep(0.001)
        ended = engine.close(timeout_s=0.01)
        release.set()
        return ended, engine.close(timeout_s=10)

    assert asyncio.run(ask()) == (False, True)


def test_whoever_waits_can_be_told_that_there_will_be_no_answer(model, route):
    release = threading.Event()

    async def ask(engine: Engine) -> list[Any]:
        route.before_scoring = lambda: release.wait(20)
        jobs = [engine.submit(["股"], 30)]
        while engine.waiting_titles:
            await asyncio.sleep(0.001)
        jobs.append(engine.submit(["球"], 30))
        engine.fail_waiting(KeyError("end"))
        found = await asyncio.gather(*(job.answer for job in jobs), return_exceptions=True)
        release.set()
        return found

    assert [type(error) for error in run(model, ask)] == [KeyError, KeyError]


def test_it_is_busy_while_titles_wait_and_while_they_are_scored(model, route):
    begun, release = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        release.wait(20)

    async def ask(engine: Engine) -> None:
        assert not engine.is_busy
        route.before_scoring = wait
        first = engine.submit(["股"], 30)
        await asyncio.to_thread(begun.wait, 20)
        assert (engine.waiting_titles, engine.is_busy) == (0, True)  # one is being scored
        second = engine.submit(["球"], 30)
        assert (engine.waiting_titles, engine.is_busy) == (1, True)
        release.set()
        await asyncio.gather(first.answer, second.answer)
        assert not engine.is_busy

    run(model, ask)
