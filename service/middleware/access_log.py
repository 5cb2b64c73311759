"""One line a request: method, path, status, milliseconds, titles. Never the text of a title.

The same is counted for Prometheus, by endpoint.
"""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.middleware.answer_start import at_start
from service.telemetry import REQUEST_SECONDS, REQUESTS

logger = logging.getLogger("biaoti.access")

_MAX_PATH_CHARS = 200
_TEXT = "%(method)s %(path)s %(status)d %(ms).1f ms %(titles)d titles"


class AccessLog:
    """ASGI middleware: logs a request when it has been answered, or has failed.

    An endpoint says how many titles it read in `request.state.titles`.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500  # what the server answers when the application raises
        started_s = time.perf_counter()

        def note(message: Message) -> None:
            nonlocal status
            status = message["status"]

        state = scope.setdefault("state", {})
        try:
            await self.app(scope, receive, at_start(send, note))
        finally:
            elapsed_s = time.perf_counter() - started_s
            endpoint = getattr(scope.get("route"), "path", "other")
            REQUESTS.labels(endpoint, status).inc()
            REQUEST_SECONDS.labels(endpoint).observe(elapsed_s)
            _log(scope, status, 1000 * elapsed_s, state.get("titles", 0))


@lru_cache(maxsize=64)
def _quoted(path: str) -> str:
    """As it can be logged: else a line break in it would forge a line."""
    return quote(path)


def _log(scope: Scope, status: int, elapsed_ms: float, titles: int) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return
    fields = {
        "method": scope["method"],
        "path": _quoted(scope["path"][:_MAX_PATH_CHARS]),
        "status": status,
        "ms": round(elapsed_ms, 1),
        "titles": titles,
    }
    # `logger.info` would look up who called it, each time
    record = logging.LogRecord(logger.name, logging.INFO, "", 0, _TEXT, (fields,), None)
    record.fields = fields
    logger.handle(record)
