"""Refuse a body that is too large before it fills the memory.

A length that the client declares is refused at once. One that it does not declare, or declares
falsely, is counted while it arrives, and refused at the first byte too many. Before the refusal is
sent, what still comes is read and thrown away, up to a bound: many clients read no answer before
they have sent all, and would only see the connection break.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.problems import problem_response

DRAINED_BYTES = 64 * 1024 * 1024
DRAINED_S = 5.0


class _BodyTooLarge(Exception):
    """Unwinds the application, which is waiting for the rest of the body."""


class BodyLimit:
    """ASGI middleware: answers 413 where a body has more bytes than it may.

    Args:
        max_body_bytes: that a body may have.
        max_bytes_at: that it may have at some paths.
    """

    def __init__(
        self, app: ASGIApp, max_body_bytes: int, max_bytes_at: Mapping[str, int] | None = None
    ):
        self.app = app
        self.max_body_bytes = max_body_bytes
        self.max_bytes_at = max_bytes_at or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most_bytes = self.max_bytes_at.get(path, self.max_body_bytes)
        try:
            if _declared_bytes(scope) > most_bytes:
                raise _BodyTooLarge
            await self.app(scope, self._counting(receive, most_bytes), send)
        except _BodyTooLarge:
            await self._refuse(scope, receive, send, most_bytes)

    def _counting(self, receive: Receive, most_bytes: int) -> Receive:
        received_bytes = 0

        async def counted() -> Message:
            nonlocal received_bytes
            message = await receive()
            received_bytes += len(message.get("body", b""))
            if received_bytes > most_bytes:
                raise _BodyTooLarge
            return message

        return counted

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, most_bytes: int) -> None:
        if _declared_bytes(scope) <= DRAINED_BYTES:
            await _drain(receive)
        response = problem_response(
            413,
            "body_too_large",
            f"the body has more than {most_bytes} bytes; split the titles over requests",
            where="body",
            headers={"connection": "close"},  # else an unread rest would be taken for a request
        )
        await response(scope, receive, send)


async def _drain(receive: Receive) -> None:
    """Read the rest of the body, or until the bounds are reached."""
    drained = 0
    try:
        async with asyncio.timeout(DRAINED_S):
            while drained <= DRAINED_BYTES:
                message = await receive()
                drained += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        return


def _declared_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
