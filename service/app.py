"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from models.artifact import LoadedModel
from models.machine import available_threads
from service.api import (
    activity,
    classify,
    classify_file,
    docs,
    feedback,
    health,
    huggingface,
    metrics,
    models,
    page,
)
from service.api.direct import Direct
from service.auth import Doorkeeper
from service.feedback.keeping import open_store
from service.inference.admission import Admission
from service.inference.registry import Registry
from service.inference.shadow import Shadow
from service.middleware.access_log import AccessLog
from service.middleware.body_limit import BodyLimit
from service.middleware.draining import CloseWhenDraining
from service.middleware.head import HeadAsGet
from service.middleware.request_ids import RequestIds
from service.problems import Draining, install_problem_handlers
from service.serving import Serving
from service.settings import Settings, read_settings
from service.tracing import Traced, provider_by_environment

_WATCH_EVERY_S = 0.25


def create_app(settings: Settings | None = None, model: LoadedModel | None = None) -> FastAPI:
    """The service; its models are loaded and warmed when it starts.

    Args:
        settings: from the environment by default.
        model: a default model that is loaded already, and closed by who did so; all others are
            opened from their folders, and closed at the end.
    Raises:
        DataError: the file of keys cannot be used.
    Raises, when it starts:
        ArtifactError, MissingDependency: the folder cannot be opened (see `models.artifact.load`).
    """
    settings = settings or read_settings()
    threads = settings.threads or available_threads()
    registry = Registry(settings.folders, threads, settings.hung_after_s, model)
    app = FastAPI(
        title="biaoti",
        summary="Classifies Chinese news titles",
        version=version("biaoti"),
        lifespan=_lifespan(settings, registry),
        redirect_slashes=False,
        docs_url=None,  # they would be fetched from elsewhere; see service/api/docs.py
        redoc_url=None,
    )
    app.state.registry = registry
    app.state.doorkeeper = Doorkeeper.of(settings.keys_file)
    asked_most = (classify, huggingface)
    others = (classify_file, models, metrics, activity, feedback, health, docs, page)
    for module in (*asked_most, *others):
        app.include_router(module.router)
    install_problem_handlers(app)
    routes = [route for module in asked_most for route in module.router.routes]
    app.add_middleware(Direct, routes=routes)  # added first: the innermost
    app.add_middleware(HeadAsGet)
    app.add_middleware(
        BodyLimit,
        max_body_bytes=settings.max_body_bytes,
        max_bytes_at={classify_file.PATH: settings.max_file_bytes},
    )
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "x-timeout-ms", "x-request-id"],
            expose_headers=["x-request-id", "retry-after"],
        )
    app.add_middleware(CloseWhenDraining)
    app.add_middleware(AccessLog)  # sees what the others answer
    if provider := provider_by_environment():
        app.state.spans = provider
        app.add_middleware(Traced, provider=provider)
    app.add_middleware(RequestIds)  # added last: outermost
    return app


def _lifespan(
    settings: Settings, registry: Registry
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await registry.start()
        shadow = settings.shadow and Shadow(registry, settings.shadow, settings.shadow_share)
        admission = Admission(settings.max_waiting_titles)
        keeping = open_store(settings.feedback) if settings.feedback else None
        app.state.serving = Serving(settings, registry, admission, shadow or None, keeping)
        watches = [
            asyncio.create_task(registry.watch_folders(settings.reload_every_s)),
            asyncio.create_task(registry.watch_engines(_WATCH_EVERY_S, settings.probe_after_s)),
            asyncio.create_task(app.state.serving.activity.note_each_minute()),
        ]
        try:
            yield
        finally:
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)
            for engine in registry.engines:
                engine.fail_waiting(Draining())
            if spans := getattr(app.state, "spans", None):
                await asyncio.to_thread(spans.shutdown)
            app.state.inference_ended = await registry.close(settings.shutdown_timeout_s)
            if keeping:
                keeping.close()

    return lifespan
