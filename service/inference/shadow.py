"""A candidate that scores what the default model is asked, to be known before it is trusted."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence

from models.classifier import Scores
from service.inference.engine import Engine
from service.inference.registry import Registry
from service.telemetry import SHADOW_TITLES

logger = logging.getLogger("biaoti")

_PATIENCE_S = 5.0


class Shadow:
    """Compares the classes that a candidate would have answered; nobody waits for it.

    Where the candidate is still busy with earlier titles, it is passed over, so that it never takes
    more than the idle time that there is.

    Args:
        name: of the candidate.
        share: of the requests.
    """

    def __init__(self, registry: Registry, name: str, share: float, seed: int | None = None):
        self._registry, self._name, self._share = registry, name, share
        self._random = random.Random(seed)
        self._tasks: set[asyncio.Task[None]] = set()

    def may_score(self, titles: Sequence[str], answered: Scores) -> None:
        """Score the titles with the candidate, now and then."""
        engine = self._registry.find(self._name)
        if self._random.random() >= self._share or engine.is_busy:
            return
        task = asyncio.create_task(_compare(engine, titles, answered))
        self._tasks.add(task)  # else it might be collected while it runs
        task.add_done_callback(self._tasks.discard)


async def _compare(engine: Engine, titles: Sequence[str], answered: Scores) -> None:
    job = engine.submit(titles, _PATIENCE_S)
    try:
        found = await asyncio.wait_for(job.answer, _PATIENCE_S)
    except TimeoutError:
        return
    except Exception:
        logger.exception("the shadow model failed")
        SHADOW_TITLES.labels("failed").inc(len(titles))
        return
    same = found.probabilities.argmax(axis=1) == answered.probabilities.argmax(axis=1)
    SHADOW_TITLES.labels("yes").inc(int(same.sum()))
    SHADOW_TITLES.labels("no").inc(int((~same).sum()))
