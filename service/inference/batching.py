"""Which titles a thread scores next: a pure function of the queue, the limits and the clock."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from service.inference.job import Job


class BatchLimits(NamedTuple):
    """What one batch may hold; a title that alone exceeds it is a batch of its own."""

    titles: int = 16
    """Enough for the cost of a call to be small, few enough for what they need to stay in a core's
    own cache, and for no title to wait long behind others."""
    characters: int = 1024
    """Of all titles together: what stands for tokens before these are known."""
    title_characters: int = 80
    """Of one title that count at most: models cut the rest off."""


class Part(NamedTuple):
    """Some of a job's titles."""

    job: Job
    start: int
    stop: int

    @property
    def titles(self) -> list[str]:
        return list(self.job.titles[self.start : self.stop])


class Collected(NamedTuple):
    """What came off the queue."""

    batch: list[Part]
    dropped: list[Job]
    """Jobs that nobody waits for any more; no title of theirs is in the batch."""


def collect(queue: deque[Job], limits: BatchLimits, now: float) -> Collected:
    """Take the next batch off the queue: whatever is there, first come first served.

    Titles of several jobs share a batch, and a job of many titles takes several, which other
    threads may score at the same time. There is no waiting for more: a thread that asks is idle,
    and under load the queue fills while the others work.

    Args:
        queue: the jobs that wait; those that leave it whole are taken off.
        now: in seconds of the clock of the jobs' deadlines.
    """
    batch: list[Part] = []
    dropped: list[Job] = []
    titles = characters = 0
    while queue:
        job = queue[0]
        if job.is_over(now):
            dropped.append(queue.popleft())
            continue
        start = stop = job.taken
        while stop < len(job.titles):
            more = min(len(job.titles[stop]), limits.title_characters)
            is_full = titles >= limits.titles or characters + more > limits.characters
            if is_full and titles:
                break
            titles, characters, stop = titles + 1, characters + more, stop + 1
        if stop > start:
            batch.append(Part(job, start, stop))
            job.taken = stop
        if job.waiting:
            break
        queue.popleft()
    return Collected(batch, dropped)
