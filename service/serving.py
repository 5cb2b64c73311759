"""What the endpoints work with, from start-up to shutdown."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from models.artifact import LoadedModel
from models.classifier import Scores
from service.activity import Activity
from service.auth import Doorkeeper, Scope
from service.feedback.keeping import Keeping
from service.inference.admission import Admission
from service.inference.job import Job
from service.inference.registry import Registry
from service.inference.shadow import Shadow
from service.problems import DeadlineExceeded
from service.settings import Settings

logger = logging.getLogger("biaoti")

_SOON_S = 0.02
"""Until then it is not worth looking whether the client is still there."""


@dataclass(frozen=True)
class Serving:
    """The models that answer, and who is let in."""

    settings: Settings
    registry: Registry
    admission: Admission
    shadow: Shadow | None = None
    feedback: Keeping | None = None
    activity: Activity = field(default_factory=Activity)

    async def score(
        self,
        request: Request,
        titles: Sequence[str],
        timeout_s: float,
        name: str | None = None,
        has_begun: bool = False,
    ) -> tuple[LoadedModel, Scores]:
        """The model that answered, and its scores before calibration.

        Whoever leaves meanwhile, or is late, costs no more work.

        Args:
            titles: at least one.
            name: of a model; the default one where None.
            has_begun: some of the request was answered, which the service's end shall not cut off.
        Raises:
            NotFound: no model is called so.
            Overloaded, Draining: not let in.
            DeadlineExceeded: not in time.
            ClientDisconnect: nobody is there to read the answer.
        """
        engine = self.registry.find(name)
        if self.settings.log_titles:
            logger.info("titles: %s", json.dumps(titles, ensure_ascii=False))
        with self.admission.admitted(len(titles), engine.titles_per_s, timeout_s, has_begun):
            job = engine.submit(titles, timeout_s)
            scores = await answer_of(job, timeout_s, request)
        _note_stages(request, job)
        if self.shadow and name is None:
            self.shadow.may_score(titles, scores)
        return engine.model, scores


def _note_stages(request: Request, job: Job) -> None:
    """For the request's trace: when its titles waited, and when they were scored."""
    stages = [("wait", job.began, job.taken_at), ("score", job.taken_at, time.monotonic())]
    request.scope.setdefault("stages", []).extend(stages)


def serving_for(scope: Scope | None) -> Callable[[Request], Awaitable[Serving]]:
    """For FastAPI's `Depends`: what the application serves with, to whom it lets in.

    Args:
        scope: that a key must have; None lets everybody in.
    """

    async def let_in(request: Request) -> Serving:  # FastAPI would hand another to a thread
        state = request.app.state
        if scope is not None:
            doorkeeper: Doorkeeper = state.doorkeeper
            doorkeeper.let_in(request, scope)
        serving: Serving = state.serving
        return serving

    return let_in


ForAll = Annotated[Serving, Depends(serving_for(None))]
ForClassifying = Annotated[Serving, Depends(serving_for("classify"))]
ForFeedback = Annotated[Serving, Depends(serving_for("feedback"))]
ForAdministration = Annotated[Serving, Depends(serving_for("admin"))]


async def answer_of(job: Job, timeout_s: float, request: Request) -> Scores:
    """The job's answer, while the client waits for it and the time is not up.

    Raises:
        DeadlineExceeded, ClientDisconnect: it is neither; what waits of the job is dropped.
    """
    loop = asyncio.get_running_loop()
    watches: list[asyncio.Task[None]] = []

    def begin_watch() -> None:
        watch = _give_up_in_time(job.answer, timeout_s, started, request.receive)
        watches.append(loop.create_task(watch))

    started = loop.time()
    timer = loop.call_later(min(timeout_s, _SOON_S), begin_watch)
    try:
        return await job.answer
    finally:
        timer.cancel()
        for watch in watches:
            watch.cancel()


async def _give_up_in_time(
    answer: asyncio.Future[Scores], timeout_s: float, started: float, receive: Receive
) -> None:
    """Let the answer be an error when the client leaves, or when its time is up.

    The body was read, so what else is received is the client's leaving.
    """
    left = asyncio.ensure_future(receive())
    remaining_s = started + timeout_s - asyncio.get_running_loop().time()
    both: set[asyncio.Future[Any]] = {answer, left}
    try:
        await asyncio.wait(both, timeout=remaining_s, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            gone = left.done()
            answer.set_exception(ClientDisconnect() if gone else DeadlineExceeded(timeout_s))
    finally:
        left.cancel()
