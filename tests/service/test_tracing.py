"""Spans, sent to a collector that is a real HTTP server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from models.errors import MissingDependency
from service import tracing
from service.app import create_app

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@pytest.fixture
def collected(monkeypatch) -> Iterator[list[ExportTraceServiceRequest]]:
    """What a collector is sent, which the environment names."""
    came: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            came.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield came
    server.shutdown()


def spans(came: list[ExportTraceServiceRequest]):
    return [
        span for each in came for resource in each.resource_spans
        for scope in resource.scope_spans for span in scope.spans
    ]  # fmt: skip


def test_a_request_is_a_span_of_the_clients_trace_with_its_stages(model, settings, collected):
    with TestClient(create_app(settings, model)) as client:
        client.post(
            "/v1/classify",
            json={"titles": ["球", "股"]},
            headers={"traceparent": f"00-{TRACE}-{PARENT}-01"},
        )
    found = {span.name: span for span in spans(collected)}
    assert sorted(found) == ["POST /v1/classify", "score", "wait"]
    whole = found["POST /v1/classify"]
    assert whole.trace_id.hex() == TRACE
    assert whole.parent_span_id.hex() == PARENT
    attributes = {each.key: each.value for each in whole.attributes}
    assert attributes["http.response.status_code"].int_value == 200
    assert attributes["biaoti.titles"].int_value == 2
    for stage in ("wait", "score"):
        inner = found[stage]
        assert inner.parent_span_id == whole.span_id
        assert whole.start_time_unix_nano - 5e6 < inner.start_time_unix_nano
        assert inner.start_time_unix_nano <= inner.end_time_unix_nano
    assert found["wait"].end_time_unix_nano == found["score"].start_time_unix_nano


def test_a_failure_is_an_error_of_its_span(model, route, settings, collected):
    route_works = route.before_scoring
    with TestClient(create_app(settings, model), raise_server_exceptions=False) as client:
        route.before_scoring = lambda: 1 / 0
        client.post("/v1/classify", json={"titles": ["球"]})
        route.before_scoring = route_works
    (span,) = (span for span in spans(collected) if span.name.startswith("POST"))
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert span.parent_span_id == b""


def test_without_an_endpoint_there_are_none(monkeypatch):
    for name in tracing._ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    assert tracing.provider_by_environment() is None


def test_where_the_packages_are_missing_it_says_which_extra_has_them(monkeypatch, collected):
    monkeypatch.setattr(tracing, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"biaoti\[trace\]"):
        tracing.provider_by_environment()


def test_an_answer_that_says_the_service_failed_is_an_error_of_its_span_too(
    model, route, settings, collected
):
    release = threading.Event()
    settings = settings.model_copy(update={"deadline_s": 0.2})
    with TestClient(create_app(settings, model)) as client:
        route.before_scoring = lambda: release.wait(20)
        assert client.post("/v1/classify", json={"titles": ["球"]}).status_code == 504
        release.set()
        assert client.post("/v1/classify", json={"titles": []}).status_code == 422
    late, refused = (span for span in spans(collected) if span.name.startswith("POST"))
    assert late.status.code == late.status.STATUS_CODE_ERROR
    assert refused.status.code == refused.status.STATUS_CODE_UNSET
