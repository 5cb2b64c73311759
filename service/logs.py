"""How the service logs: a line an event, for people or, in JSON, for programs."""

from __future__ import annotations

import json
import logging
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

Format = Literal["text", "json"]

REQUEST_IDS: ContextVar[dict[str, str] | None] = ContextVar("request", default=None)
"""Of the request that is being answered: its `request_id`, and its `trace_id` where it has one."""


def configure(form: Format) -> None:
    """Log to standard error from `INFO` on, every event with the ids of its request."""
    # what no line tells need not be found out for each
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


class Lines(logging.Formatter):
    """For people: time, level, message, and the request's id."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._second, self._shown = 0, ""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """As `logging` shows it; what a second is called is found out once."""
        second = int(record.created)
        if second != self._second:
            self._second = second
            self._shown = time.strftime(self.default_time_format, time.localtime(second))
        return f"{self._shown},{int(record.msecs):03d}"

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        ids = REQUEST_IDS.get()
        return super().formatMessage(record) + (f" [{ids['request_id']}]" if ids else "")


class JsonLines(logging.Formatter):
    """For programs: an object a line; what an event has as `extra={"fields": {…}}` stands in it."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **(REQUEST_IDS.get() or {}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
