"""What a deployment can afford, where somebody says so."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

from evaluation.latency import Speed
from models.bounds import Bounds, Checked, NonNegativeFloat


@dataclass(frozen=True)
class Limits(Checked):
    """Within which a model is chosen; none unless given."""

    max_mb: Annotated[float, Bounds(above=0, besides=(inf,))] = inf
    """10⁶ bytes of a model's folder; inf = any number."""
    max_ms: Annotated[float, Bounds(above=0, besides=(inf,))] = inf
    """Milliseconds, the median, for one title on one thread; inf = any number."""
    min_titles_per_s: NonNegativeFloat = 0.0
    """At least so many titles a second in batches on all threads; 0 = any number."""

    @property
    def words(self) -> list[str]:
        """Those that were given: `at most 15 MB`."""
        said = {
            f"at most {self.max_mb:,g} MB": self.max_mb < inf,
            f"at most {self.max_ms:,g} ms a title": self.max_ms < inf,
            f"at least {self.min_titles_per_s:,g} titles/s": self.min_titles_per_s > 0,
        }
        return [words for words, is_given in said.items() if is_given]

    @property
    def need_speed(self) -> bool:
        """Whether one of them cannot be told without measuring speed."""
        return self.max_ms < inf or self.min_titles_per_s > 0

    def allow(self, size_bytes: int, speed: Speed | None) -> bool:
        """Whether a model keeps them all; one whose speed is not known keeps no limit of speed."""
        if size_bytes > 1e6 * self.max_mb:
            return False
        if speed is None:
            return not self.need_speed
        is_fast = speed.p50_ms.median <= self.max_ms
        return is_fast and speed.titles_per_s.median >= self.min_titles_per_s


NO_LIMITS = Limits()
