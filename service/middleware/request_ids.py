"""Every request has an id, the client's or a new one, that its answer and its log lines bear.

Of a trace that the request is part of (`traceparent`), the log lines bear the id, too.
Source: W3C Trace Context, https://www.w3.org/TR/trace-context/, 3.2.
"""

from __future__ import annotations

import os
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import REQUEST_IDS
from service.middleware.answer_start import at_start

HEADER = "x-request-id"
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
        headers = Headers(scope=scope)
        given = headers.get(HEADER, "")
        ids = {"request_id": given if _ID.fullmatch(given) else os.urandom(8).hex()}
        if parent := _TRACEPARENT.fullmatch(headers.get("traceparent", "")):
            ids["trace_id"] = parent[1]
        REQUEST_IDS.set(ids)

        def add_id(message: Message) -> None:
            MutableHeaders(scope=message)[HEADER] = ids["request_id"]

        await self.app(scope, receive, at_start(send, add_id))
