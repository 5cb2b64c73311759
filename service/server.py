"""One process that serves: uvicorn, with what it lacks."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from service.app import create_app
from service.connections import BACKLOG, guarded, most_connections
from service.problems import Draining
from service.settings import Settings
from service.signals import stop_noted

logger = logging.getLogger("biaoti")

_SHARE_TO_ANSWER = 0.8
"""Of the time after SIGTERM, in which titles are still scored."""


def serve_on(
    listener: socket.socket,
    settings: Settings,
    when_ready: Callable[[], None],
    lifeline: Lifeline | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; returns when all that was accepted is answered.

    Args:
        when_ready: called once, when requests are answered.
        lifeline: to who started this process, if that is not a person.
    Raises:
        ArtifactError, MissingDependency: the model cannot be opened.
    """
    with listener:
        app = create_app(settings)
        most = most_connections(settings.max_connections)
        config = uvicorn.Config(
            app,
            http=guarded(most, settings.request_timeout_s),
            loop="uvloop" if _has_uvloop() else "asyncio",
            backlog=BACKLOG,
            log_config=None,
            access_log=False,  # AccessLog writes one that counts titles
            root_path=settings.root_path,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=settings.shutdown_timeout_s,
        )
        with stop_noted():
            # uvicorn raises the signal again once it has stopped: unhandled, SIGTERM would end the
            # process with a failure although every request was answered
            Server(config, app, when_ready, lifeline).run(sockets=[listener])
        if not app.state.inference_ended:
            logger.error("an inference is still running; leaving without it")
            os._exit(1)  # an ordinary exit would wait for its thread for ever


class Lifeline:
    """Two pipes between a worker and its supervisor, by which each sees that the other lives.

    Args:
        heart: written to by the worker, as long as its event loop turns.
        parent: read by the worker; it ends when the supervisor does, however that ends.
    """

    def __init__(self, heart: int, parent: int):
        self.heart = heart
        self.parent = parent
        os.set_blocking(heart, False)

    def beat(self) -> None:
        """Say that the event loop turns."""
        try:
            os.write(self.heart, b".")
        except BlockingIOError:
            return  # beats enough are waiting to be read
        except BrokenPipeError:
            return  # the supervisor has ended, of which `parent` tells


class Server(uvicorn.Server):
    """Says when it is ready, and answers all that it has accepted before it ends."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: FastAPI,
        when_ready: Callable[[], None],
        lifeline: Lifeline | None,
    ):
        super().__init__(config)
        self._app = app
        self._when_ready = when_ready
        self._lifeline = lifeline

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.state.registry.start()  # here, so that its errors are not uvicorn's to tell
        await super().startup(sockets)
        if self._lifeline:
            asyncio.get_running_loop().add_reader(self._lifeline.parent, self._parent_ended)
        self._when_ready()

    async def on_tick(self, counter: int) -> bool:
        if self._lifeline:
            self._lifeline.beat()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        serving, within_s = self._app.state.serving, self.config.timeout_graceful_shutdown or 0
        serving.admission.is_draining = True
        # what is not scored by then is told so, while there is time to
        loop = asyncio.get_running_loop()
        for engine in serving.registry.engines:
            loop.call_later(_SHARE_TO_ANSWER * within_s, engine.fail_waiting, Draining())
        await super().shutdown(sockets)

    def _parent_ended(self) -> None:
        self.should_exit = True
        if self._lifeline:
            asyncio.get_running_loop().remove_reader(self._lifeline.parent)


def _has_uvloop() -> bool:
    return importlib.util.find_spec("uvloop") is not None  # there is none for Windows
