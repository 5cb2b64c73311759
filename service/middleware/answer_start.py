"""What middleware does when an answer begins: look at its status, or add to its headers."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Message, Send


def at_start(send: Send, seen: Callable[[Message], None]) -> Send:
    """Sends as `send` does; `seen` is given the message that begins the answer, before it goes."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            seen(message)
        await send(message)

    return sending
