"""Several models by name, their reload, and the shadow of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from models import artifact
from models.labels import Labels
from service.app import create_app
from service.keys import AddKey, add_key
from service.settings import Settings
from tests.service.conftest import LABELS, KeywordRoute, until

from .test_metrics import samples


class Contrary(KeywordRoute):
    """Finds a class where its keyword is not."""

    def score(self, titles):
        found = super().score(titles)
        return found._replace(probabilities=(1 - found.probabilities) / 2)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Two models with one route; the second's is contrary."""
    found = {"stable": tmp_path / "a", "candidate": tmp_path / "b"}
    monkeypatch.setattr(artifact, "find_route", lambda _: KeywordRoute)
    artifact.save(KeywordRoute(), found["stable"], temperature=1.0)
    monkeypatch.setattr(artifact, "find_route", lambda _: Contrary)
    artifact.save(Contrary(), found["candidate"], temperature=2.0)

    def route_of(_: str) -> type[KeywordRoute]:
        return next(routes)

    routes = iter([KeywordRoute, Contrary, KeywordRoute, KeywordRoute])
    monkeypatch.setattr(artifact, "find_route", route_of)
    return found


@pytest.fixture
def two(folders: dict[str, Path]) -> Iterator[TestClient]:
    settings = Settings(models=folders, shadow="candidate", shadow_share=1.0, reload_every_s=60)
    with TestClient(create_app(settings)) as client:
        yield client


def test_a_request_may_name_the_model(two: TestClient):
    def asked(**more: str) -> tuple[str, str]:
        answer = two.post("/v1/classify", json={"titles": ["股股"], **more}).json()
        return answer["model"]["name"], answer["results"][0]["label"]

    assert asked() == asked(model="stable") == ("a", "stocks")
    assert asked(model="candidate") == ("b", "sports")


def test_a_model_that_is_not_there_is_404(two: TestClient):
    problem = two.post("/v1/classify", json={"titles": ["股"], "model": "new"}).json()
    assert (problem["status"], problem["code"], problem["where"]) == (404, "unknown_model", "model")
    assert problem["detail"] == "no model 'new'; there are stable, candidate"


def test_all_are_listed_with_what_they_are_called(two: TestClient):
    models = two.get("/v1/models").json()["models"]
    assert [(model["name"], model["called"]) for model in models] == [
        ("a", ["stable"]),
        ("b", ["candidate"]),
    ]


def test_the_shadow_is_counted_and_answers_nobody(two: TestClient):
    def count(agrees: str) -> float:
        return samples(two).get(("biaoti_shadow_titles_total", (("agrees", agrees),)), 0.0)

    before = count("no")
    answer = two.post("/v1/classify", json={"titles": ["股", "球"]}).json()
    assert [result["label"] for result in answer["results"]] == ["stocks", "sports"]
    assert until(lambda: count("no") == before + 2)


def test_a_shadow_must_be_one_of_the_models():
    with pytest.raises(ValueError, match="shadow is 'x', which is none of models"):
        Settings(shadow="x")


def test_a_reload_answers_with_what_lies_in_the_folder_now(two: TestClient, folders, monkeypatch):
    monkeypatch.setattr(artifact, "find_route", lambda _: KeywordRoute)
    after = artifact.save(KeywordRoute(), folders["stable"], temperature=3.0).version
    answer = two.post("/v1/models/stable/reload")
    assert (answer.status_code, answer.json()) == (200, {"name": "a", "version": after})
    assert two.post("/v1/classify", json={"titles": ["股"]}).json()["model"]["version"] == after


def test_a_reload_that_is_refused_says_why(two: TestClient, folders, monkeypatch):
    monkeypatch.setattr(artifact, "find_route", lambda _: KeywordRoute)
    artifact.save(KeywordRoute(Labels.of(["x", "y", "z"])), folders["stable"])
    problem = two.post("/v1/models/stable/reload").json()
    assert (problem["status"], problem["code"]) == (422, "model_refused")
    assert "has the classes x, y, z, but what answers has stocks, sports, game" in problem["detail"]
    result = two.post("/v1/classify", json={"titles": ["股"]}).json()["results"][0]
    assert result["label"] == LABELS.names[0]


def test_a_reload_of_an_unknown_model_is_404(two: TestClient):
    assert two.post("/v1/models/new/reload").status_code == 404


def test_a_reload_wants_the_key_of_an_administrator(settings, model, tmp_path: Path):
    file = tmp_path / "keys.txt"
    keys = [add_key(AddKey(name=of, file=file, scope=(of,))) for of in ("classify", "admin")]
    app = create_app(settings.model_copy(update={"keys_file": file}), model)
    with TestClient(app) as client:
        headers = [{"authorization": f"Bearer {key}"} for key in keys]
        asked = [client.post("/v1/models/new/reload", headers=each) for each in headers]
        assert [answer.status_code for answer in asked] == [403, 404]
