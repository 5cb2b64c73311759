"""End a run at each point of some files' code, one after the other: by an error, or killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any


@contextmanager
def at_point(number: int, end: Callable[[], None], *modules: ModuleType) -> Iterator[list[int]]:
    """Within the block `end` is called before the line, or return, of that number in the modules.

    Yields:
        A list whose one element counts the points that were passed.
    """
    files = {module.__file__ for module in modules}
    passed = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        if event in ("line", "return"):
            passed[0] += 1
            if passed[0] == number:
                sys.settrace(None)
                end()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield passed
    finally:
        sys.settrace(before)


def points(action: Callable[[], None], *modules: ModuleType) -> int:
    """How many lines and returns of the modules' code the action passes."""
    with at_point(0, lambda: None, *modules) as passed:
        action()
    return passed[0]


def killed_at(number: int, action: Callable[[], None], *modules: ModuleType) -> bool:
    """Run the action in a child that is killed at that point; False where it ends otherwise."""
    child = os.fork()
    if child == 0:
        try:
            with at_point(number, lambda: os.kill(os.getpid(), signal.SIGKILL), *modules):
                action()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL
