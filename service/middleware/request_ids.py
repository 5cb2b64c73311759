"""Every request has an id, the client's or a new one, that its answer and its log lines bear.

Of a trace that the request is part of (`traceparent`), the log lines bear the id, too.
Source: W3C Trace Context, https://www.w3.org/TR/trace-context/, 3.2.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import REQUEST_IDS
from service.middleware.answer_start import at_start

HEADER = b"x-request-id"
_ID = re.compile(r"[\w.:/+=-]{1,128}", re.ASCII)
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-\S+")


class RequestIds:
    """ASGI middleware; what else happens to the request happens inside."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        ids = _ids_of(scope["headers"])
        REQUEST_IDS.set(ids)
        header = HEADER, ids["request_id"].encode()

        def add_id(message: Message) -> None:
            message["headers"] = [*message.get("headers", ()), header]

        await self.app(scope, receive, at_start(send, add_id))


def _ids_of(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    given, ids = "", {}
    for name, value in headers:
        if name == HEADER:
            given = value.decode("latin-1")
        elif name == b"traceparent" and (parent := _TRACEPARENT.fullmatch(value.decode("latin-1"))):
            ids["trace_id"] = parent[1]
    return {"request_id": given if _ID.fullmatch(given) else os.urandom(8).hex(), **ids}
