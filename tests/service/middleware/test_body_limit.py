"""BodyLimit: counts what arrives, whatever was declared."""

from __future__ import annotations

import asyncio
import json

import pytest

from service.middleware.body_limit import BodyLimit


async def echo(scope, receive, send):
    """Reads the whole body and answers with its length."""
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(length).encode()})


def ask(chunks: list[bytes], declared: bytes | None = None) -> tuple[int, bytes, int]:
    """The status, the body, and how many chunks were taken from the client."""
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages[-1]["more_body"] = False
    total = len(messages)
    sent = []

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", declared)]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    asyncio.run(BodyLimit(echo, max_body_bytes=10)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], total - len(messages)


def test_body_of_exactly_the_limit_passes():
    assert ask([b"x" * 5, b"x" * 5], declared=b"10") == (200, b"10", 2)


def test_a_declared_length_is_refused():
    status, body, _ = ask([b"x" * 11], declared=b"11")
    assert status == 413
    assert json.loads(body) == {
        "type": "about:blank",
        "title": "Request Entity Too Large",
        "status": 413,
        "detail": "the body has more than 10 bytes; split the titles over requests",
        "code": "body_too_large",
        "where": "body",
    }


@pytest.mark.parametrize("declared", [None, b"3", b"-1", b"ten"])
def test_undeclared_bytes_are_counted_and_the_rest_is_thrown_away(declared):
    """Many clients read no answer before they have sent all of a body."""
    status, _, taken = ask([b"x" * 6, b"x" * 6, b"x" * 6], declared)
    assert (status, taken) == (413, 3)


def test_what_is_declared_as_endless_is_refused_unread():
    status, _, taken = ask([b"x" * 6, b"x" * 6], declared=b"9" * 12)
    assert (status, taken) == (413, 0)


def test_what_is_not_http_passes_untouched():
    seen = []

    async def application(scope, receive, send):
        seen.append(scope["type"])

    asyncio.run(BodyLimit(application, 10)({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]


def test_streamed_body_is_refused_by_the_whole_service(client):
    def chunks():
        for _ in range(10):
            yield b" " * 1000

    response = client.post(
        "/v1/classify", content=chunks(), headers={"content-type": "application/json"}
    )
    assert response.status_code == 413
    assert response.json()["code"] == "body_too_large"
    assert response.headers["connection"] == "close"
