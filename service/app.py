"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from models.artifact import LoadedModel, load
from models.machine import available_threads
from service.api import classify, docs, health, huggingface, metrics, models
from service.auth import Doorkeeper, allowed
from service.inference.admission import Admission
from service.inference.engine import Engine
from service.middleware.access_log import AccessLog
from service.middleware.body_limit import BodyLimit
from service.middleware.head import HeadAsGet
from service.problems import Draining, install_problem_handlers
from service.serving import Serving
from service.settings import Settings, read_settings
from service.telemetry import MODEL_INFO

_WATCH_EVERY_S = 0.25


def create_app(settings: Settings | None = None, model: LoadedModel | None = None) -> FastAPI:
    """The service; its model is loaded and warmed when it starts.

    Args:
        settings: from the environment by default.
        model: a model that is loaded already, and closed by who did so; else the folder in the
            settings is opened, and closed at the end.
    Raises:
        DataError: the file of keys cannot be used.
    Raises, when it starts:
        ArtifactError, MissingDependency: the folder cannot be opened (see `models.artifact.load`).
    """
    settings = settings or read_settings()
    app = FastAPI(
        title="biaoti",
        summary="Classifies Chinese news titles",
        version=version("biaoti"),
        lifespan=_lifespan(settings, model),
        redirect_slashes=False,
        docs_url=None,  # they would be fetched from elsewhere; see service/api/docs.py
        redoc_url=None,
    )
    app.state.doorkeeper = Doorkeeper.of(settings.keys_file)
    for module in (classify, huggingface, models, metrics):
        app.include_router(module.router, dependencies=[Depends(allowed("classify"))])
    for module in (health, docs):
        app.include_router(module.router)
    install_problem_handlers(app)
    app.add_middleware(HeadAsGet)
    app.add_middleware(BodyLimit, max_body_bytes=settings.max_body_bytes)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "x-timeout-ms"],
        )
    app.add_middleware(AccessLog)  # added last: outermost, sees what the others answer
    return app


def _lifespan(
    settings: Settings, model: LoadedModel | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as opened_here:
            loaded = model or opened_here.enter_context(
                await asyncio.to_thread(load, settings.model)
            )
            engine = Engine(loaded, settings.threads or available_threads(), settings.hung_after_s)
            await engine.start()
            watch = asyncio.create_task(engine.watch(_WATCH_EVERY_S, settings.probe_after_s))
            MODEL_INFO.labels(loaded.manifest.name, loaded.manifest.version).set(1)
            app.state.serving = Serving(settings, engine, Admission(settings.max_waiting_titles))
            try:
                yield
            finally:
                watch.cancel()
                with suppress(asyncio.CancelledError):
                    await watch
                engine.fail_waiting(Draining())
                app.state.inference_ended = await asyncio.to_thread(
                    engine.close, settings.shutdown_timeout_s
                )
                if not app.state.inference_ended:
                    opened_here.pop_all()  # a thread is still at work with the model

    return lifespan
