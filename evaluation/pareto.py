"""The Pareto front: points that no other beats in one thing without losing in another."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(gains: Sequence[float], costs: Sequence[float]) -> list[bool]:
    """Which of n points are on the front; of equal points all or none.

    Args:
        gains: (n,) more is better, such as accuracy.
        costs: (n,) less is better, such as bytes; negate what more of is better.
    """
    points = list(zip(gains, costs, strict=True))
    return [not any(_dominates(other, point) for other in points) for point in points]


def _dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether `one` is at least as good in both and better in one."""
    return one[0] >= other[0] and one[1] <= other[1] and one != other
