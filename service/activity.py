"""What was answered in the last hour, minute by minute: for people who look at the page.

Each worker keeps the counts of all workers as they stood at the end of each minute; a minute is the
difference of two. Prometheus keeps more, and for longer.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from prometheus_client import CollectorRegistry

from models.manifest import Answers
from scoring.drift import TENTHS, stability_index
from service.telemetry import counted

MINUTES = 60
_MINUTE_S = 60.0
_FEWEST_TITLES = 200
"""From which shares say something."""


@dataclass(frozen=True)
class Totals:
    """Counts since the service began.

    Attributes:
        requests: for classes of titles.
        within: of these, by a number of seconds, how many were answered within it.
        answers: titles by class, or `unknown`.
        confidence: by an upper bound, titles whose best class had at most it.
    """

    requests: int = 0
    within: Counter[float] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    confidence: Counter[float] = field(default_factory=Counter)


@dataclass(frozen=True)
class Minute:
    """What was answered in about a minute.

    Attributes:
        began: in seconds of the epoch.
        p50_s, p99_s: seconds within which half, or 99 of 100, requests were answered, to the next
            bound of the histogram; None where there was none.
    """

    began: float
    requests: int
    p50_s: float | None
    p99_s: float | None
    answers: dict[str, int]


def totals(registry: CollectorRegistry) -> Totals:
    """What the metrics say."""
    found = Totals()
    requests = 0
    for sample in (each for family in registry.collect() for each in family.samples):
        endpoint = sample.labels.get("endpoint", "")
        is_asked = endpoint.startswith("/v1/classify") or endpoint in ("/predict", "/")
        if sample.name == "biaoti_request_seconds_bucket" and is_asked:
            found.within[float(sample.labels["le"])] += int(sample.value)
        elif sample.name == "biaoti_request_seconds_count" and is_asked:
            requests += int(sample.value)
        elif sample.name == "biaoti_answers_total":
            found.answers[sample.labels["label"]] += int(sample.value)
        elif sample.name == "biaoti_confidence_bucket":
            found.confidence[float(sample.labels["le"])] += int(sample.value)
    return replace(found, requests=requests)


class Activity:
    """Keeps an hour of totals.

    Args:
        read: the totals as they stand.
        clock: seconds of the epoch.
    """

    def __init__(
        self,
        read: Callable[[], Totals] = lambda: totals(counted()),
        clock: Callable[[], float] = time.time,
    ):
        self._read, self._clock = read, clock
        self._kept: deque[tuple[float, Totals]] = deque([(clock(), read())], maxlen=MINUTES)

    def note(self) -> None:
        """Keep how things stand."""
        self._kept.append((self._clock(), self._read()))

    async def note_each_minute(self) -> None:
        """For ever."""
        while True:
            await asyncio.sleep(_MINUTE_S)
            self.note()

    def minutes(self) -> list[Minute]:
        """Those of the last hour, the oldest first; the last one is still running."""
        kept = [*self._kept, (self._clock(), self._read())]
        return [_between(began, before, after) for (began, before), (_, after) in pairwise(kept)]

    def drift(self, expected: Answers) -> dict[str, float]:
        """How far the last hour's classes and confidence are from what was expected of a model.

        Empty where too few titles were answered to tell.
        """
        before, after = self._kept[0][1], self._read()
        classes = after.answers - before.answers
        if classes.total() < _FEWEST_TITLES:
            return {}
        up_to = [after.confidence[bound] - before.confidence[bound] for bound in TENTHS]
        tenths = [up_to[0], *(b - a for a, b in pairwise(up_to))]
        shares = {str(bound): e for bound, e in zip(TENTHS, expected.confidence, strict=True)}
        counts = {str(bound): count for bound, count in zip(TENTHS, tenths, strict=True)}
        return {
            "classes": stability_index(expected.classes, classes),
            "confidence": stability_index(shares, counts),
        }


def _between(began: float, before: Totals, after: Totals) -> Minute:
    within = {bound: count - before.within[bound] for bound, count in after.within.items()}
    requests = after.requests - before.requests
    answers = after.answers - before.answers
    return Minute(
        began,
        requests,
        _quantile(within, requests, 0.5),
        _quantile(within, requests, 0.99),
        dict(answers),
    )


def _quantile(within: dict[float, int], requests: int, share: float) -> float | None:
    if not requests:
        return None
    enough = [bound for bound, count in within.items() if count >= share * requests]
    return min(enough, default=None)
