"""Request ids: the client's or a new one, in the answer and in every line of the log."""

from __future__ import annotations

import io
import json
import logging

import pytest

from service.logs import JsonLines, Lines

TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def logged():
    """What is logged while the test runs, by a formatter."""
    handlers = []

    def start(formatter: logging.Formatter) -> io.StringIO:
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        logger = logging.getLogger("biaoti")
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        handlers.append(handler)
        return stream

    yield start
    for handler in handlers:
        logging.getLogger("biaoti").removeHandler(handler)


def test_a_clients_id_is_kept_and_another_is_made(client):
    given = client.get("/health", headers={"x-request-id": "cms-4711/a"})
    assert given.headers["x-request-id"] == "cms-4711/a"
    made = [client.get("/nowhere").headers["x-request-id"] for _ in range(2)]
    assert all(len(each) == 16 for each in made)
    assert made[0] != made[1]


@pytest.mark.parametrize("given", ["a b", "标题".encode(), "x" * 129, '"', ""])
def test_an_id_that_could_forge_a_line_is_replaced(client, given):
    answer = client.get("/health", headers={"x-request-id": given})
    assert len(answer.headers["x-request-id"]) == 16


def test_lines_for_people_end_with_the_id(client, logged):
    stream = logged(Lines())
    client.get("/health", headers={"x-request-id": "a-1"})
    assert stream.getvalue().endswith(" 0 titles [a-1]\n")


@pytest.mark.parametrize(
    ("parent", "trace"),
    [
        (f"00-{TRACE}-b7ad6b7169203331-01", TRACE),
        (f"cc-{TRACE}-b7ad6b7169203331-01-what-the-future-will-be", TRACE),
        (f"ff-{TRACE}-b7ad6b7169203331-01", None),
        (f"00-{'0' * 32}-b7ad6b7169203331-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"00-{TRACE.upper()}-b7ad6b7169203331-01", None),
        ("nonsense", None),
    ],
)
def test_lines_for_programs_are_objects_with_the_ids(client, logged, parent, trace):
    stream = logged(JsonLines())
    client.get("/health?x", headers={"x-request-id": "a-1", "traceparent": parent})
    line = json.loads(stream.getvalue())
    assert line["request_id"] == "a-1"
    assert line.get("trace_id") == trace
    assert {name: line[name] for name in ("level", "logger", "method", "path", "status")} == {
        "level": "info", "logger": "biaoti.access", "method": "GET", "path": "/health",
        "status": 200,
    }  # fmt: skip
    assert line["message"].startswith("GET /health 200 ")


def test_an_exception_stands_in_its_line():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.Logger("x")
    logger.addHandler(handler)
    try:
        raise ValueError("标题\n")
    except ValueError:
        logger.exception("failed")
    told = json.loads(stream.getvalue())
    assert (told["level"], told["message"]) == ("error", "failed")
    assert told["exception"].endswith("ValueError: 标题\n")
    assert "request_id" not in told


def test_titles_are_logged_where_that_is_asked_for(model, settings, caplog):
    from starlette.testclient import TestClient

    from service.app import create_app

    caplog.set_level(logging.INFO)
    settings = settings.model_copy(update={"log_titles": True})
    with TestClient(create_app(settings, model)) as client:
        client.post("/v1/classify", json={"titles": ["股市", ' "球"']})
    assert r'titles: ["股市", " \"球\""]' in caplog.text
