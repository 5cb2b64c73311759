"""/health, /ready and /v1/models, with a model that is well, broken or stuck."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from starlette.testclient import TestClient

from models.classifier import Scores
from models.errors import ArtifactError
from service.app import create_app


@pytest.fixture
def impatient(settings, model):
    """The service with a fifth of a second for an inference."""
    short = {"inference_timeout_s": 0.2, "ready_timeout_s": 0.2}
    with TestClient(create_app(settings.model_copy(update=short), model)) as client:
        yield client


def test_healthy_model_is_ready(client):
    assert client.get("/health").json() == {"status": "ok"}
    answer = client.get("/ready").json()
    assert answer["status"] == "ready"
    assert answer["inference_ms"] > 0


def test_readiness_scores_a_title_each_time(client, route):
    asked = []
    route.before_scoring = lambda: asked.append(1)
    client.get("/ready")
    client.get("/health")
    client.get("/ready")
    assert len(asked) == 2


def test_failing_model_is_alive_but_not_ready(client, route, caplog):
    route.before_scoring = lambda: 1 / 0
    response = client.get("/ready")
    assert response.status_code == 503
    assert response.json() == {
        "error": {
            "code": "not_ready",
            "message": "an inference failed with ZeroDivisionError; the cause is in the log",
        }
    }
    assert "the inference of /ready failed" in caplog.text
    assert client.get("/health").status_code == 200


def test_model_that_scores_nan_is_not_ready_and_answers_nothing(client, route, monkeypatch):
    nothing = np.full((1, 3), np.nan, np.float32)
    monkeypatch.setattr(route, "score", lambda titles: Scores.of_whole_titles(nothing))
    assert client.get("/ready").status_code == 503
    assert client.post("/v1/classify", json={"titles": ["股"]}).status_code == 500


def test_stuck_model_is_alive_but_not_ready(impatient, route):
    release = threading.Event()
    route.before_scoring = lambda: release.wait(30)
    response = impatient.get("/ready")
    assert response.status_code == 503
    assert response.json()["error"] == {
        "code": "not_ready",
        "message": "the model did not answer within 0.2 s; try again later",
    }
    assert impatient.get("/health").status_code == 200
    release.set()


def test_stuck_model_answers_503_and_drops_what_it_has_not_begun(impatient, route):
    release, begun = threading.Event(), []

    def hang():
        begun.append(1)
        release.wait(30)

    route.before_scoring = hang
    for _ in range(3):
        response = impatient.post("/v1/classify", json={"titles": ["股"]})
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "inference_timeout"
    route.before_scoring = lambda: None
    release.set()
    assert any(impatient.get("/ready").status_code == 200 for _ in range(50))
    assert len(begun) == 1


def test_models_tells_what_the_manifest_says(client):
    assert client.get("/v1/models").json() == {
        "models": [
            {
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
        ]
    }


def test_model_is_loaded_from_the_folder_in_the_settings(encoder_folder, settings):
    with TestClient(create_app(settings.model_copy(update={"model": encoder_folder}))) as client:
        assert client.get("/v1/models").json()["models"][0]["name"] == "tiny"
        assert client.get("/ready").status_code == 200


def test_service_does_not_start_without_its_model(settings, tmp_path):
    app = create_app(settings.model_copy(update={"model": tmp_path}))
    with pytest.raises(ArtifactError, match=r"it has no artifact\.json"), TestClient(app):
        pass
