"""Run the service until it is told to stop: in this process, or in several that it looks after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from models.bounds import Checked, Whole
from service import logs
from service.auth import Doorkeeper, require_keys_or_loopback
from service.listener import announcement, open_listener
from service.server import serve_on
from service.settings import Settings, read_settings
from service.supervisor import supervise


@dataclass(frozen=True, kw_only=True)
class Serve(Checked):
    """Serve a model over HTTP until interrupted."""

    model: Annotated[Path | None, arg(metavar="FOLDER")] = None
    """The model; by default BIAOTI_MODEL, else the model that ships."""
    host: Annotated[str | None, arg(metavar="ADDRESS")] = None
    """By default BIAOTI_HOST, else 127.0.0.1."""
    port: Annotated[int | None, arg(metavar="N"), Whole(least=0, most=65535)] = None
    """By default BIAOTI_PORT, else 8000."""
    workers: Annotated[int | None, arg(metavar="N"), Whole(least=1, most=256)] = None
    """Processes that answer; by default BIAOTI_WORKERS, else 1."""
    settings: Annotated[Path | None, arg(metavar="FILE")] = None
    """Further settings, in TOML; by default BIAOTI_SETTINGS. What the environment says wins."""


def serve_as_asked(asked: Serve) -> None:
    """Serve with what was asked for, the rest as the environment says; see `serve`."""
    chosen = {"model": asked.model, "host": asked.host, "port": asked.port}
    serve(read_settings(asked.settings, **chosen, workers=asked.workers))


def serve(settings: Settings) -> None:
    """Serve a model over HTTP; returns after SIGTERM or SIGINT, when all requests are answered.

    Raises:
        UsageError: the address cannot be listened on, or is open to others without keys; says what
            to do.
        DataError: the file of keys cannot be used.
        ArtifactError, MissingDependency: the model cannot be opened.
    """
    keys = Doorkeeper.of(settings.keys_file).keys
    require_keys_or_loopback(settings.host, keys, settings.without_keys)
    logs.configure(settings.log_format)
    listener = open_listener(settings.host, settings.port)
    host, port = listener.getsockname()[:2]

    def announce() -> None:
        print(announcement(host, port), flush=True)

    if settings.workers == 1:
        serve_on(listener, settings, announce)
    else:
        supervise(listener, settings, announce)
