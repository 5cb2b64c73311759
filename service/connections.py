"""Connections that cost others nothing: bounded in number, and in the time that a request takes.

uvicorn waits for ever for the first request of a connection, for the end of its head and for its
body, and takes as many connections as there are descriptors, after which it takes none.
"""

from __future__ import annotations

import asyncio
import json
import resource
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from service.problems import MEDIA_TYPE, document

BACKLOG = 64
"""Connections that the system holds until they are taken; so many are taken at once."""
_LEAST_BYTES_PER_S = 16 * 1024
"""Of a request that may take longer than others, since it is a large file."""
_LINGER_S = 0.5
"""Seconds for which a silent connection is kept when the service ends."""
_DESCRIPTORS_KEPT = 64 + BACKLOG
"""For files, the model and connections that are taken before one is closed for them."""


def most_connections(wanted: int) -> int:
    """As many, or what the limit on descriptors leaves room for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, soft - _DESCRIPTORS_KEPT))


def guarded(most: int, request_timeout_s: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol, by httptools where that is installed, else by h11, with bounds.

    Args:
        most: connections; for one more, the one that has been silent for longest is closed.
        request_timeout_s: seconds in which a request has to arrive whole, from the connection's
            beginning or from its own first byte; of a large one, so much in each such time.
    """

    class GuardedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: Any, **options: Any):
            super().__init__(*arguments, **options)
            self._deadline: asyncio.TimerHandle | None = None
            self._has_begun = False
            self._came_whole: object = None
            self._came_bytes = 0
            """Since it was last looked at."""
            self.silent_since = 0.0

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._await_request()
            if len(self.connections) > most:
                self._make_room()

        def connection_lost(self, exc: Exception | None) -> None:
            self._request_came()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if not self._has_begun:
                self._has_begun = True
                self._await_request()
            self._came_bytes += len(data)
            super().data_received(data)
            is_new = self.cycle is not None and self.cycle is not self._came_whole
            if is_new and not self.cycle.more_body:
                self._came_whole = self.cycle
                self._has_begun = False
                self._request_came()

        def shutdown(self) -> None:
            """End the connection: at once after the answer it waits for, else in a moment.

            A request may be on its way, sent before its client could know; it is answered yet.
            """
            if self.is_silent:
                self.loop.call_later(_LINGER_S, super().shutdown)
            else:
                super().shutdown()

        @property
        def is_silent(self) -> bool:
            """Whether nothing is being answered."""
            return self.cycle is None or bool(self.cycle.response_complete)

        def refuse(self, status: int, code: str, detail: str) -> None:
            """Answer and close, whatever of a request has come."""
            if self.transport.is_closing():
                return
            if self._has_begun or self.is_silent:
                self.transport.write(_response(status, code, detail))
            self.transport.close()

        def _await_request(self) -> None:
            self.silent_since = self.loop.time()
            if self._deadline is None:
                self._came_bytes = 0
                self._deadline = self.loop.call_later(request_timeout_s, self._is_late)

        def _request_came(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _is_late(self) -> None:
            self._deadline = None
            if self._has_begun and self._came_bytes >= request_timeout_s * _LEAST_BYTES_PER_S:
                self._await_request()
            elif self._has_begun:
                detail = f"the request was not whole within {request_timeout_s:g} s"
                self.refuse(408, "request_timeout", detail)
            elif not self.transport.is_closing():
                self.transport.close()

        def _make_room(self) -> None:
            others = [each for each in self.connections if each is not self]
            silent = [each for each in others if isinstance(each, GuardedProtocol)]
            silent = [each for each in silent if each.is_silent and not each.transport.is_closing()]
            if silent:
                min(silent, key=lambda each: each.silent_since).transport.abort()
            else:
                detail = f"{most} connections are open, all of them busy; try again"
                self.refuse(503, "too_many_connections", detail)

    return GuardedProtocol


def _response(status: int, code: str, detail: str) -> bytes:
    content = document(status, code, detail)
    body = json.dumps(content).encode()
    head = (
        f"HTTP/1.1 {status} {content['title']}\r\ncontent-type: {MEDIA_TYPE}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
