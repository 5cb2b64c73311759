"""Who opens a model closes it."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from models.artifact import DEFAULT_FOLDER, load
from models.errors import UsageError
from service.app import create_app
from service.settings import Settings


def test_a_model_that_the_service_opens_has_the_threads_set_and_is_closed_at_the_end():
    app = create_app(Settings(threads=1))

    with TestClient(app) as client:
        assert client.get("/ready").status_code == 200
        engine = app.state.registry.find()
        model = engine.model
        assert engine._count == 1
        assert model.folder == DEFAULT_FOLDER
        assert model.uncalibrated._pool._max_workers == 1

    with pytest.raises(UsageError, match="was closed"):
        model.score(["国足客场一球小胜"])


def test_a_model_that_it_is_given_stays_open():
    with load(DEFAULT_FOLDER) as model:
        with TestClient(create_app(Settings(), model)):
            pass

        assert model.score(["国足客场一球小胜"]).truncated.tolist() == [False]
