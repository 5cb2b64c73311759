"""/docs without a network, under a proxy's prefix, and what the document promises."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from service.app import create_app


@pytest.mark.parametrize("root", ["", "/news/biaoti"])
def test_the_page_asks_nobody_else_and_its_files_are_there(settings, model, root):
    app = create_app(settings.model_copy(update={"root_path": root}), model)
    with TestClient(app, root_path=root) as client:
        page = client.get("/docs").text
        asked = re.findall(r"""(?:src|href)=["']([^"']+)["']""", page)
        assert not re.search(r"https?://", page)
        assert len(asked) == 3
        for address in [*asked, f"{root}/openapi.json"]:
            assert address.startswith(f"{root}/")
            assert client.get(address.removeprefix(root)).status_code == 200
        assert f"url: '{root}/openapi.json'" in page.replace('"', "'")


def test_where_the_package_is_missing_the_page_is_fastapis(client, monkeypatch):
    monkeypatch.setattr("service.api.docs.find_spec", lambda _: None)
    page = client.get("/docs")
    assert page.status_code == 200
    assert 'url: "/openapi.json"' in page.text.replace("'", '"')
    assert "/docs/swagger-ui" not in page.text


def test_another_file_is_not_given(client):
    assert client.get("/docs/main.py").json()["code"] == "unknown_file"


def test_each_endpoint_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert set(paths) == {
        "/v1/classify", "/v1/classify/file", "/predict", "/v1/models", "/v1/models/{name}/reload",
        "/v1/feedback", "/v1/activity",
        "/health", "/ready", "/metrics",
    }  # fmt: skip


def test_other_pages_may_ask_where_their_origin_is_named(settings, model):
    app = create_app(settings.model_copy(update={"cors_origins": ("https://cms.example",)}), model)
    asking = {"origin": "https://cms.example", "access-control-request-method": "POST"}
    with TestClient(app) as client:
        allowed = client.options("/v1/classify", headers=asking)
        assert allowed.headers["access-control-allow-origin"] == "https://cms.example"
        other = client.options("/v1/classify", headers={**asking, "origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_no_other_page_may_ask_unless_it_is_named(client):
    asking = {"origin": "https://cms.example", "access-control-request-method": "POST"}
    answer = client.options("/v1/classify", headers=asking)
    assert "access-control-allow-origin" not in answer.headers
