"""While the service ends, each answer says that its connection does, too.

Without that, a client sends its next request on a connection that is about to be closed, and cannot
tell whether it was read.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.middleware.answer_start import at_start


class CloseWhenDraining:
    """ASGI middleware; `app.state.serving.admission` knows whether the service is about to end."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        admission = scope["app"].state.serving.admission

        def close(message: Message) -> None:
            if admission.is_draining:
                MutableHeaders(scope=message)["connection"] = "close"

        await self.app(scope, receive, at_start(send, close))
