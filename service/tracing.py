"""Spans of requests for OpenTelemetry, where its packages are installed and it is told where to.

`OTEL_EXPORTER_OTLP_ENDPOINT` and the other variables of OpenTelemetry's own say what to do; the
extra `trace` brings the packages. A request that brings a `traceparent` continues its trace.
"""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.errors import MissingDependency
from service.middleware.answer_start import at_start

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NS = 1_000_000_000


def provider_by_environment() -> TracerProvider | None:
    """What sends spans to the collector that the environment names; None where it names none.

    Raises:
        MissingDependency: it names one, and the packages are not installed.
    """
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        raise MissingDependency("opentelemetry-exporter-otlp-proto-http", "trace")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME", "biaoti")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class Traced:
    """ASGI middleware: a span for each request, and in it one for its wait and one for its scoring.

    Whoever has titles scored notes in the scope's `stages` when, in seconds of `time.monotonic`,
    they were queued, a thread took the first of them, and the last was scored.
    """

    def __init__(self, app: ASGIApp, provider: TracerProvider):
        self.app = app
        self._tracer = provider.get_tracer("biaoti")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind, StatusCode

        status = 500
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }

        def note(message: Message) -> None:
            nonlocal status
            status = message["status"]

        method = scope["method"]
        with self._tracer.start_as_current_span(
            method, extract(headers), SpanKind.SERVER, {"http.request.method": method}
        ) as span:
            try:
                await self.app(scope, receive, at_start(send, note))
            finally:
                route = getattr(scope.get("route"), "path", "")
                state: dict[str, Any] = scope.get("state", {})
                span.update_name(f"{method} {route}".strip())
                span.set_attributes(
                    {
                        "http.route": route,
                        "http.response.status_code": status,
                        "biaoti.titles": state.get("titles", 0),
                    }
                )
                if status >= 500:
                    span.set_status(StatusCode.ERROR)
                clock = time.time() - time.monotonic()
                for stage, begin, end in scope.get("stages", ()):
                    inner = self._tracer.start_span(stage, start_time=int((clock + begin) * _NS))
                    inner.end(int((clock + end) * _NS))
