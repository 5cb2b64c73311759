"""SIGTERM and SIGINT, by which a service is told to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_noted() -> Iterator[Callable[[], bool]]:
    """Within the block, both are noted and do nothing else; gives whether one has come."""
    asked: list[int] = []
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda got, _: asked.append(got)) for number in numbers}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
