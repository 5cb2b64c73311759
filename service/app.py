"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI

from models.artifact import LoadedModel, load
from service.access_log import AccessLog
from service.body_limit import BodyLimit
from service.endpoints import Serving, router
from service.errors import install_error_handlers
from service.inference import InferenceThread, probe
from service.settings import Settings, read_settings


def create_app(settings: Settings | None = None, model: LoadedModel | None = None) -> FastAPI:
    """The service; its model is loaded and warmed when it starts.

    Args:
        settings: from the environment by default.
        model: a model that is loaded already, and closed by who did so; else the folder in the
            settings is opened, and closed at the end.
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
    )
    app.include_router(router)
    install_error_handlers(app)
    app.add_middleware(BodyLimit, max_body_bytes=settings.max_body_bytes)
    app.add_middleware(AccessLog)  # added last: outermost, sees what the body limit answers
    return app


def _lifespan(
    settings: Settings, model: LoadedModel | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        inference, opened_here = InferenceThread(), ExitStack()

        def open_model() -> LoadedModel:
            return model or opened_here.enter_context(load(settings.model, settings.threads))

        try:
            loaded = await inference.run(open_model)
            await inference.run(partial(probe, loaded))
            app.state.serving = Serving(settings, loaded, inference)
            yield
        finally:
            app.state.inference_ended = inference.close(settings.shutdown_timeout_s)
            if app.state.inference_ended:
                opened_here.close()

    return lifespan
