"""Errors that no endpoint raises on purpose have the one shape, too."""

from __future__ import annotations

import asyncio

import pytest
from starlette.testclient import TestClient

from service.app import create_app


def test_an_unknown_endpoint(client):
    response = client.get("/v2/classify")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "no endpoint /v2/classify; all endpoints are listed at /docs",
        "code": "unknown_endpoint",
    }


def test_a_trailing_slash_is_an_unknown_endpoint_not_a_redirect(client):
    response = client.post("/v1/classify/", json={"titles": ["股"]}, follow_redirects=False)
    assert (response.status_code, response.json()["code"]) == (404, "unknown_endpoint")


def test_wrong_method_names_the_right_one(client):
    response = client.get("/v1/classify")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert response.json()["code"] == "method_not_allowed"
    assert response.json()["detail"] == "GET is not possible here; use POST"


def test_unexpected_exception_is_500_without_its_text(client, route):
    def fail():
        raise RuntimeError("secret")

    route.before_scoring = fail
    response = client.post("/v1/classify", json={"titles": ["股"]})
    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert response.json()["detail"] == "the service failed; the cause is in its log"
    assert "secret" not in response.text


def test_unexpected_exception_reaches_the_server_which_logs_it(settings, model, route):
    with TestClient(create_app(settings, model)) as client:
        route.before_scoring = lambda: 1 / 0
        with pytest.raises(ZeroDivisionError):
            client.post("/v1/classify", json={"titles": ["股"]})


def test_client_that_leaves_before_its_body_is_whole_is_no_failure(client):
    messages = [
        {"type": "http.request", "body": b'{"titles"', "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent = []

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/classify",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }
    asyncio.run(client.app(scope, receive, send))
    assert sent[0]["status"] == 400
