"""Several processes behind one address: started, watched, replaced when they die, and ended.

All accept connections from the one listening socket, so none is lost with a process that nobody
had given it to. A worker whose event loop stands still is killed; what it was answering fails, and
nothing else does. If the supervisor itself is killed, the workers see its pipe end and end, too.
"""

from __future__ import annotations

import logging
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from models.errors import BiaotiError
from models.machine import available_threads
from service.settings import Settings
from service.signals import stop_noted
from service.telemetry import MULTIPROC_DIR

logger = logging.getLogger("biaoti")

_LOOK_EVERY_S = 0.1
_DEAD_AFTER_S = 10.0
"""Without a beat of its heart; the event loop's, which no inference holds up."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
"""Before a worker that died is started again; doubled as long as it dies early."""
_LIVED_S = 10.0
"""A worker that lived so long did not die early."""


class WorkerFailed(BiaotiError):
    """A worker ended before it was ready; what it said stands above."""


class _Worker:
    """A process, and what is known of it."""

    def __init__(
        self, listener: socket.socket, settings: Settings, parent: int, env: dict[str, str]
    ):
        self.heart, heart = os.pipe()
        passed = (listener.fileno(), heart, parent)
        command = [sys.executable, "-m", "service.worker", settings.model_dump_json()]
        self.process = subprocess.Popen([*command, *map(str, passed)], pass_fds=passed, env=env)
        os.close(heart)
        self.started = self.last_beat = time.monotonic()
        self.is_ready = False

    def heard(self) -> bool:
        """Take in its beats; whether it is still there."""
        if not os.read(self.heart, 4096):
            return False
        self.last_beat, self.is_ready = time.monotonic(), True
        return True

    def close(self) -> None:
        os.close(self.heart)


def supervise(listener: socket.socket, settings: Settings, when_ready: Callable[[], None]) -> None:
    """Serve in `settings.workers` processes until SIGTERM or SIGINT.

    Args:
        when_ready: called once, when all workers answer.
    Raises:
        WorkerFailed: one ended before it was ever ready.
    """
    threads = settings.threads or max(1, available_threads() // settings.workers)
    each = settings.model_copy(update={"workers": 1, "threads": threads})
    with stop_noted() as is_asked_to_stop, listener, TemporaryDirectory("biaoti") as counts:
        supervisor = Supervisor(listener, each, settings.workers, counts, when_ready)
        supervisor.run(is_asked_to_stop)


class Supervisor:
    """Looks after workers.

    Args:
        settings: of each worker.
        count: workers.
        counts: an empty folder, in which the workers count.
    """

    def __init__(
        self,
        listener: socket.socket,
        settings: Settings,
        count: int,
        counts: str,
        when_ready: Callable[[], None],
    ):
        self._listener, self._settings = listener, settings
        self._when_ready: Callable[[], None] | None = when_ready
        self._parent, self._kept_open = os.pipe()  # its other end closes with this process
        self._selector = selectors.DefaultSelector()
        self._counts = counts
        self._pause_s = _FIRST_PAUSE_S
        self._to_start: list[float] = []
        """When workers are to be started that take the place of dead ones."""
        self._workers = [self._start() for _ in range(count)]

    def run(self, is_asked_to_stop: Callable[[], bool]) -> None:
        """Until asked to stop, or until a worker fails before it is ready."""
        try:
            while not is_asked_to_stop():
                self._listen()
                self._kill_the_silent()
                self._replace_the_dead()
                if self._when_ready and all(worker.is_ready for worker in self._workers):
                    self._when_ready()
                    self._when_ready = None
        finally:
            self._end()

    def _start(self) -> _Worker:
        env = os.environ | {MULTIPROC_DIR: self._counts}
        worker = _Worker(self._listener, self._settings, self._parent, env)
        self._selector.register(worker.heart, selectors.EVENT_READ, worker)
        return worker

    def _listen(self) -> None:
        for key, _ in self._selector.select(_LOOK_EVERY_S):
            if not key.data.heard():
                self._selector.unregister(key.fileobj)

    def _kill_the_silent(self) -> None:
        now = time.monotonic()
        for worker in self._workers:
            if worker.is_ready and now - worker.last_beat > _DEAD_AFTER_S:
                logger.error("worker %d does not move and is killed", worker.process.pid)
                worker.process.kill()
                worker.process.wait()

    def _replace_the_dead(self) -> None:
        now = time.monotonic()
        for worker in [each for each in self._workers if each.process.poll() is not None]:
            if self._when_ready:
                raise WorkerFailed("a worker ended before it was ready; its reason stands above")
            lived_s = now - worker.started
            self._pause_s = (
                _FIRST_PAUSE_S if lived_s > _LIVED_S else min(2 * self._pause_s, _LONGEST_PAUSE_S)
            )
            code = worker.process.returncode
            logger.error("worker %d ended (%s); another is started", worker.process.pid, code)
            self._forget(worker)
            self._to_start.append(now + self._pause_s)
        due = [when for when in self._to_start if when <= now]
        self._to_start = [when for when in self._to_start if when > now]
        self._workers += [self._start() for _ in due]

    def _forget(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        for gauges in Path(self._counts).glob(f"gauge_live*_{worker.process.pid}.db"):
            gauges.unlink()  # of one that is alive no more
        if worker.heart in self._selector.get_map():
            self._selector.unregister(worker.heart)
        worker.close()

    def _end(self) -> None:
        """Ask all to end, and see to it that they do."""
        for worker in self._workers:
            worker.process.terminate()
        deadline = time.monotonic() + self._settings.shutdown_timeout_s + 2
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                logger.error("worker %d did not end in time and is killed", worker.process.pid)
                worker.process.kill()
                worker.process.wait()
        os.close(self._kept_open)
        os.close(self._parent)
