"""The threads that a model runs on, and what they do: collect a batch, score it, answer its jobs.

The event loop puts jobs into a queue and waits for their answers. A thread that is idle takes
whatever waits (`service.inference.batching`), so requests share batches as soon as there are more
of them than threads, and a single one never waits for company.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from models.artifact import LoadedModel
from models.classifier import Scores
from service.inference.batching import BatchLimits, Part, collect
from service.inference.job import Job
from service.problems import InferenceFailed
from service.telemetry import (
    BATCH_TITLES,
    DROPPED_TITLES,
    FAILED_JOBS,
    RESTARTED_THREADS,
    SCORE_SECONDS,
    WAIT_SECONDS,
)

logger = logging.getLogger("biaoti")

PROBE_TITLE = "央行公开市场净投放 月末资金面平稳"
_BATCH_S = 0.02
"""Seconds that a batch should take at most: what others wait until a thread is free."""
_MOST_TITLES = 64
_SHARE_OF_LAST = 0.1
"""What the last batch counts in the moving average of the speed."""


@dataclass(eq=False)
class _Worker:
    """A thread, and the batch that it works on."""

    thread: threading.Thread | None = None
    batch: list[Part] = field(default_factory=list)
    since: float = 0.0
    is_replaced: bool = False
    """It hung, another took its place, and what it may still bring is not wanted."""


class Engine:
    """Scores jobs on threads of its own, in batches; one model, from start to close.

    Args:
        model: opened, and closed by who did so.
        threads: that score at once, if the model's route lets several; else it is the number of
            threads that the model itself may use.
        hung_after_s: seconds after which a batch is given up, and its thread with it.
    """

    def __init__(self, model: LoadedModel, threads: int, hung_after_s: float):
        self.model = model
        self.hung_after_s = hung_after_s
        self.limits = BatchLimits()
        self.titles_per_s = 1.0
        self.is_failing = False
        """Whether a thread hung or the model failed at a probe, and none was answered since."""
        self._is_suspect = False
        """Whether it failed at something, which may be the fault of the titles."""
        self.last_success = -np.inf
        """In seconds of `time.monotonic`."""
        shares = model.uncalibrated.shared_by_threads
        model.set_threads(1 if shares else threads)
        self._count = threads if shares else 1
        self._queue: deque[Job] = deque()
        self._changed = threading.Condition()
        self._workers: list[_Worker] = []
        self._is_closing = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Score a few titles, to see that the model answers and how fast, and start the threads.

        Raises whatever the model raises.
        """
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._warm_up)
        self._workers = [self._new_worker() for _ in range(self._count)]

    def submit(self, titles: Sequence[str], timeout_s: float) -> Job:
        """Queue titles; on the event loop. To cancel the job's answer is to drop what waits.

        The answer are scores before calibration, or the error: an `InferenceFailed` where the
        batch hung, an `ArithmeticError` where the model scored NaN or infinity, or whatever the
        model raised.

        Args:
            titles: at least one.
            timeout_s: seconds after which what no thread has begun is dropped.
        """
        now = time.monotonic()
        job = Job(titles, now, now + timeout_s)
        with self._changed:
            self._queue.append(job)
            self._changed.notify()
        return job

    @property
    def is_busy(self) -> bool:
        """Whether titles wait or are being scored."""
        with self._changed:
            return bool(self._queue) or any(worker.batch for worker in self._workers)

    @property
    def waiting_titles(self) -> int:
        """That no thread has taken."""
        with self._changed:
            return sum(job.waiting for job in self._queue)

    def is_ready(self) -> bool:
        """Whether its threads work, however much waits for them."""
        return bool(self._workers) and not self.is_failing and not self._hung(time.monotonic())

    async def look(self, probe_after_s: float) -> None:
        """Replace threads that hang or died, and ask the model where nobody else does.

        It is asked a title after a failure, until it answers, and when it was not used for
        `probe_after_s` seconds.
        """
        self._replace_hung()
        is_idle = time.monotonic() - self.last_success > probe_after_s
        if self.is_failing or self._is_suspect or (is_idle and not self.waiting_titles):
            await self._probe()

    async def _probe(self) -> None:
        job = self.submit([PROBE_TITLE], self.hung_after_s)
        try:
            await asyncio.wait_for(job.answer, self.hung_after_s)
        except Exception:
            if not self.is_failing:
                logger.exception("the model does not answer a probe")
            self.is_failing = True
        else:
            self.is_failing = self._is_suspect = False

    def close(self, timeout_s: float) -> bool:
        """Let the threads end with what they work on; whether all have within the time."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        deadline = time.monotonic() + timeout_s
        threads = [worker.thread for worker in self._workers if worker.thread]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def fail_waiting(self, error: BaseException) -> None:
        """Answer all jobs that have not been with an error; on the event loop."""
        with self._changed:
            jobs = [*self._queue, *(part.job for worker in self._workers for part in worker.batch)]
            self._queue.clear()
        for job in jobs:
            job.fail(error)

    def _warm_up(self) -> None:
        self._checked([PROBE_TITLE])
        titles = [PROBE_TITLE] * self.limits.titles
        started = time.perf_counter()
        self._checked(titles)
        per_title_s = (time.perf_counter() - started) / len(titles)
        most = max(1, min(_MOST_TITLES, round(_BATCH_S / per_title_s)))
        self.limits = BatchLimits(most, 64 * most)
        self.titles_per_s = self._count / per_title_s
        self.last_success = time.monotonic()

    def _new_worker(self) -> _Worker:
        worker = _Worker()
        worker.thread = threading.Thread(
            target=self._work, args=[worker], name="inference", daemon=True
        )
        worker.thread.start()
        return worker

    def _work(self, worker: _Worker) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._is_closing:
                    self._changed.wait()
                if worker.is_replaced or not self._queue:
                    return
                worker.since = time.monotonic()
                worker.batch, dropped = collect(self._queue, self.limits, worker.since)
                for part in worker.batch:
                    if not part.start:
                        part.job.taken_at = worker.since
                        WAIT_SECONDS.observe(worker.since - part.job.began)
                DROPPED_TITLES.inc(sum(job.waiting for job in dropped))
                if self._queue:
                    self._changed.notify()  # there is work for another, too
            if worker.batch:
                self._score(worker)

    def _score(self, worker: _Worker) -> None:
        """Score the worker's batch; where the model fails at it, each job's titles alone."""
        try:
            found: list[Scores | Exception] = self._split(worker.batch)
        except Exception as error:
            if len(worker.batch) == 1:
                found = [error]
            else:
                found = [self._alone(part) for part in worker.batch]
        elapsed_s = time.monotonic() - worker.since
        with self._changed:
            if worker.is_replaced:
                return
            batch, worker.batch = worker.batch, []
            answered = [
                (part.job, scores if isinstance(scores, Exception) else None)
                for part, scores in zip(batch, found, strict=True)
                if isinstance(scores, Exception) or part.job.bring(part.start, scores)
            ]
            failures = [each for each in found if isinstance(each, Exception)]
            self._count_up(sum(part.stop - part.start for part in batch), elapsed_s, failures)
        if answered and self._loop:
            self._loop.call_soon_threadsafe(_answer, answered)

    def _split(self, batch: list[Part]) -> list[Scores | Exception]:
        """The scores of each part, of one pass over the titles of all."""
        probabilities, truncated = self._checked([t for part in batch for t in part.titles])
        found: list[Scores | Exception] = []
        start = 0
        for part in batch:
            stop = start + part.stop - part.start
            found.append(Scores(probabilities[start:stop], truncated[start:stop]))
            start = stop
        return found

    def _alone(self, part: Part) -> Scores | Exception:
        try:
            return self._checked(part.titles)
        except Exception as error:
            return error

    def _checked(self, titles: list[str]) -> Scores:
        scores = self.model.uncalibrated.score(titles)
        if not np.isfinite(scores.probabilities).all():
            raise ArithmeticError("the model scored a title with NaN or infinity")
        return scores

    def _count_up(self, titles: int, elapsed_s: float, failures: list[Exception]) -> None:
        BATCH_TITLES.observe(titles)
        SCORE_SECONDS.observe(elapsed_s)
        FAILED_JOBS.inc(len(failures))
        if failures:
            self._is_suspect = True
            return
        self.last_success = time.monotonic()
        speed = self._count * titles / max(elapsed_s, 1e-6)
        self.titles_per_s += _SHARE_OF_LAST * (speed - self.titles_per_s)

    def _hung(self, now: float) -> list[_Worker]:
        return [
            worker
            for worker in self._workers
            if (worker.batch and now - worker.since > self.hung_after_s)
            or not (worker.thread and worker.thread.is_alive())
        ]

    def _replace_hung(self) -> None:
        with self._changed:
            hung = self._hung(time.monotonic())
            lost = [part.job for worker in hung for part in worker.batch]
            for worker in hung:
                worker.is_replaced = True
                self._workers[self._workers.index(worker)] = self._new_worker()
            RESTARTED_THREADS.inc(len(hung))
            self.is_failing = self.is_failing or bool(hung)
        for job in lost:
            job.fail(InferenceFailed(self.hung_after_s))
        if hung:
            logger.error("%d inference threads hung or died and were replaced", len(hung))


def _answer(answered: list[tuple[Job, Exception | None]]) -> None:
    """On the event loop."""
    for job, error in answered:
        if error is None:
            job.resolve()
        else:
            job.fail(error)
