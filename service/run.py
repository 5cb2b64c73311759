"""Run the service until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import FastAPI
from tyro.conf import arg

from models.artifact import load
from models.bounds import Checked, Whole
from models.errors import UsageError
from service.app import create_app
from service.connections import BACKLOG, guarded, most_connections
from service.problems import Draining
from service.settings import Settings, read_settings

logger = logging.getLogger("biaoti")

_SHARE_TO_ANSWER = 0.8
"""Of the time after SIGTERM, in which titles are still scored."""
_EXAMPLE = '{"titles": ["三大股指午后拉升 券商板块涨逾3%"], "top_k": 3}'


@dataclass(frozen=True, kw_only=True)
class Serve(Checked):
    """Serve a model over HTTP until interrupted."""

    model: Annotated[Path | None, arg(metavar="FOLDER")] = None
    """The model; by default BIAOTI_MODEL, else the model that ships."""
    host: Annotated[str | None, arg(metavar="ADDRESS")] = None
    """By default BIAOTI_HOST, else 127.0.0.1."""
    port: Annotated[int | None, arg(metavar="N"), Whole(least=0, most=65535)] = None
    """By default BIAOTI_PORT, else 8000."""


def serve_as_asked(asked: Serve) -> None:
    """Serve with what was asked for, the rest as the environment says; see `serve`."""
    serve(read_settings(model=asked.model, host=asked.host, port=asked.port))


def serve(settings: Settings) -> None:
    """Serve a model over HTTP; returns after SIGTERM or SIGINT, when all requests are answered.

    Raises:
        UsageError: the address cannot be listened on; names the port and the remedy.
        ArtifactError, MissingDependency: the model cannot be opened.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    listener = open_listener(settings.host, settings.port)
    with listener, load(settings.model) as model:
        app = create_app(settings, model)
        most = most_connections(settings.max_connections)
        config = uvicorn.Config(
            app,
            http=guarded(most, settings.request_timeout_s),
            loop="uvloop",
            backlog=BACKLOG,
            log_config=None,
            access_log=False,  # AccessLog writes one that counts titles
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=settings.shutdown_timeout_s,
        )
        with _stop_signals_handled():
            _Server(config, app, settings.shutdown_timeout_s).run(sockets=[listener])
        if not app.state.inference_ended:
            logger.error("an inference is still running; leaving without it")
            os._exit(1)  # an ordinary exit would wait for its thread for ever


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; who connects now waits until the model is there.

    Raises:
        UsageError: names the address, the reason and the remedy.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise UsageError(f"host '{host}' is not known here; pass --host 127.0.0.1") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen()  # else two services that start at once would both bind
    except OSError as error:
        listener.close()
        raise UsageError(_explain(error, host, port)) from error
    return listener


def announcement(host: str, port: int) -> str:
    """Where the service listens, where its documentation is, and a line to paste."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    url = f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"
    return (
        f"Listening on {host} port {port}: {url}\n"
        f"Documentation: {url}/docs\n"
        f"Try it: curl {url}/v1/classify -H 'Content-Type: application/json' -d '{_EXAMPLE}'"
    )


class _Server(uvicorn.Server):
    """Announces itself, and answers all that it has accepted before it ends."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, shutdown_timeout_s: float):
        super().__init__(config)
        self._app = app
        self._answer_within_s = _SHARE_TO_ANSWER * shutdown_timeout_s

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        serving = self._app.state.serving
        serving.admission.is_draining = True
        # what is not scored by then is told so, while there is time to
        loop = asyncio.get_running_loop()
        loop.call_later(self._answer_within_s, serving.engine.fail_waiting, Draining())
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            host, port = listener.getsockname()[:2]
            print(announcement(host, port), flush=True)


@contextmanager
def _stop_signals_handled() -> Iterator[None]:
    # uvicorn raises the signal again once it has stopped: unhandled, SIGTERM would end the
    # process with a failure although every request was answered
    stop_signals = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda *_: None) for number in stop_signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} on {host} is already in use; stop the program that uses it, or pass "
            "--port with another number (0 takes a free one)"
        )
    if error.errno == errno.EACCES:
        return f"port {port} is reserved for the system; pass --port with a number above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; pass --host 127.0.0.1"
    return f"cannot listen on {host} port {port}: {error.strerror}"
