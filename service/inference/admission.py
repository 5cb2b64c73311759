"""Who is let in: a bound on the titles that wait, and when to come again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from service.problems import Draining, Overloaded
from service.telemetry import REFUSED_REQUESTS, WAITING_TITLES

_SHARE_OF_PATIENCE = 0.7
"""That the wait and the scoring may take, as things are; speed varies, and what is let in and late
has cost its work for nothing."""


class Admission:
    """Counts titles from their admission to their answer; a request is admitted whole or not.

    Used on the event loop alone.

    Args:
        most_titles: that may be inside at once.
    """

    def __init__(self, most_titles: int):
        self.most_titles = most_titles
        self.inside = 0
        self.is_draining = False
        """Whether the service is about to end and lets nobody in."""

    @contextmanager
    def admitted(
        self, titles: int, titles_per_s: float, patience_s: float, has_begun: bool = False
    ) -> Iterator[None]:
        """Hold a place for so many titles while they are worked on.

        Args:
            titles_per_s: how fast titles were scored lately.
            patience_s: how long whoever asks would wait.
            has_begun: the service's end is no reason to refuse.
        Raises:
            Overloaded: there is no room, or those inside take longer than that.
            Draining: the service is about to end.
        """
        if self.is_draining and not has_begun:
            REFUSED_REQUESTS.labels("draining").inc()
            raise Draining
        wait_s = self.inside / titles_per_s
        whole_s = (self.inside + titles) / titles_per_s
        is_full = self.inside + titles > self.most_titles
        if self.inside and (is_full or whole_s > _SHARE_OF_PATIENCE * patience_s):
            REFUSED_REQUESTS.labels("overloaded").inc()
            raise Overloaded(self.inside, retry_after_s=max(1, math.ceil(wait_s)))
        self.inside += titles
        WAITING_TITLES.set(self.inside)
        try:
            yield
        finally:
            self.inside -= titles
            WAITING_TITLES.set(self.inside)
