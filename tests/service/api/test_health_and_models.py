"""/health, /ready and /v1/models, with a model that is well, broken or stuck."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from starlette.testclient import TestClient

from models.classifier import Scores
from models.errors import ArtifactError
from service.app import create_app
from tests.service.conftest import until


@pytest.fixture
def impatient(settings, model):
    """The service that gives a batch up after a fifth of a second."""
    short = {"deadline_s": 5, "hung_after_s": 0.2}
    app = create_app(settings.model_copy(update=short), model)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def is_ready(client):
    return client.get("/ready").status_code == 200


def test_healthy_model_is_ready(client):
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready", "waiting_titles": 0}


@pytest.mark.parametrize("path", ["/health", "/ready", "/v1/models", "/openapi.json"])
def test_head_is_answered_as_get_without_a_body(client, path):
    response = client.head(path)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == client.get(path).headers["content-length"]


def test_being_asked_whether_it_is_ready_costs_the_model_nothing(client, route):
    route.before_scoring = lambda: 1 / 0
    assert client.get("/health").status_code == 200
    assert is_ready(client)


def test_failing_model_is_alive_but_not_ready_until_it_answers_again(client, route, caplog):
    route.before_scoring = lambda: 1 / 0
    assert client.post("/v1/classify", json={"titles": ["股"]}).status_code == 500
    assert until(lambda: not is_ready(client))
    problem = client.get("/ready").json()
    assert (problem["status"], problem["code"]) == (503, "not_ready")
    assert "the model does not answer a probe" in caplog.text
    assert client.get("/health").status_code == 200
    route.before_scoring = lambda: None
    assert until(lambda: is_ready(client))


def test_model_that_scores_nan_is_not_ready_and_answers_nothing(client, route, monkeypatch):
    def nothing(titles):
        return Scores.of_whole_titles(np.full((len(titles), 3), np.nan, np.float32))

    monkeypatch.setattr(route, "score", nothing)
    assert client.post("/v1/classify", json={"titles": ["股"]}).status_code == 500
    assert until(lambda: not is_ready(client))


def test_a_thread_that_hangs_is_replaced_and_its_request_alone_fails(impatient, route):
    release, threads = threading.Event(), set()

    def hang_once():
        threads.add(threading.get_ident())
        if len(threads) == 1:
            release.wait(30)

    route.before_scoring = hang_once
    response = impatient.post("/v1/classify", json={"titles": ["股"]})
    assert response.status_code == 500
    assert response.json()["code"] == "inference_failed"
    assert until(lambda: is_ready(impatient))
    assert impatient.post("/v1/classify", json={"titles": ["股"]}).status_code == 200
    release.set()
    assert len(threads) == 2


def test_models_tells_what_the_manifest_says(client):
    assert client.get("/v1/models").json() == {
        "models": [
            {
                "called": ["default"],
                "name": "keywords",
                "version": "0123456789ab",
                "route": "keyword",
                "labels": [
                    {"label": "stocks", "display_name": "股票"},
                    {"label": "sports", "display_name": "体育"},
                    {"label": "game", "display_name": "游戏"},
                ],
                "max_length": 8,
                "temperature": 2.0,
                "threshold": 0.0,
                "metrics": {"accuracy": 0.75, "undefined": None},
                "remarks": [{"code": "leak", "message": "dev stands in train"}],
                "size_bytes": 1024,
            }
        ],
        "keeps_feedback": False,
    }


def test_model_is_loaded_from_the_folder_in_the_settings(encoder_folder, settings):
    with TestClient(create_app(settings.model_copy(update={"model": encoder_folder}))) as client:
        assert client.get("/v1/models").json()["models"][0]["name"] == "tiny"
        assert client.get("/ready").status_code == 200


def test_service_does_not_start_without_its_model(settings, tmp_path):
    app = create_app(settings.model_copy(update={"model": tmp_path}))
    with pytest.raises(ArtifactError, match=r"it has no artifact\.json"), TestClient(app):
        pass
