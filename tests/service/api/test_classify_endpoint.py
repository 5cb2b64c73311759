"""POST /v1/classify: what it answers to a request that it can answer."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from service.app import create_app


def classify(client, **body):
    response = client.post("/v1/classify", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_answers_each_title_in_order_with_its_best_classes(client):
    answer = classify(client, titles=["股股", "球"], top_k=2)
    assert answer["model"] == {"name": "keywords", "version": "0123456789ab"}
    first, second = answer["results"]
    # temperature 2 halves the exponents: e^(2/2) against two classes of e^0
    stocks = {"label": "stocks", "display_name": "股票", "score": math.e / (math.e + 2)}
    assert first == {
        "index": 0,
        "label": "stocks",
        "display_name": "股票",
        "score": pytest.approx(stocks["score"], abs=1e-6),
        "top_k": [
            {**stocks, "score": pytest.approx(stocks["score"], abs=1e-6)},
            {
                "label": "sports",
                "display_name": "体育",
                "score": pytest.approx(1 / (math.e + 2), abs=1e-6),
            },
        ],
        "truncated": False,
        "readable": True,
        "unknown": False,
    }
    assert (second["index"], second["label"]) == (1, "sports")


def test_uncalibrated_scores_are_those_before_the_temperature(client):
    result = classify(client, titles=["股股"], calibrated=False)["results"][0]
    assert result["score"] == pytest.approx(math.e**2 / (math.e**2 + 2), abs=1e-6)


def test_says_which_titles_were_truncated(client):
    results = classify(client, titles=["股" * 8, "股" * 9])["results"]
    assert [result["truncated"] for result in results] == [False, True]


@pytest.mark.parametrize(("top_k", "listed"), [(1, 1), (3, 3), (4, 3), (50, 3), (None, 3)])
def test_top_k_above_the_number_of_classes_gives_them_all(client, top_k, listed):
    result = classify(client, titles=["玩"], top_k=top_k)["results"][0]
    assert len(result["top_k"]) == listed
    scores = [ranked["score"] for ranked in result["top_k"]]
    assert scores == sorted(scores, reverse=True)


def test_two_titles_are_not_read_as_a_sentence_pair(client):
    together = classify(client, titles=["股", "球球"])["results"]
    alone = [classify(client, titles=[title])["results"][0] for title in ("股", "球球")]
    assert [result["top_k"] for result in together] == [result["top_k"] for result in alone]


def test_of_a_key_given_twice_the_last_counts(client):
    response = client.post(
        "/v1/classify",
        content='{"titles": ["股"], "titles": ["球", "玩"]}'.encode(),
        headers={"content-type": "application/json"},
    )
    assert [result["label"] for result in response.json()["results"]] == ["sports", "game"]


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/ld+json"]
)
def test_json_content_types_are_accepted(client, content_type):
    response = client.post(
        "/v1/classify", content=b'{"titles": ["A"]}', headers={"content-type": content_type}
    )
    assert response.status_code == 200


def test_a_title_that_cannot_be_classified_does_not_fail_the_others(client):
    titles = ["股", " \u200b", "球" * 21, 7]
    stocks, blank, too_long, number = classify(client, titles=titles)["results"]
    assert (stocks["index"], stocks["label"]) == (0, "stocks")
    assert blank == {
        "index": 1,
        "error": {
            "code": "blank_title",
            "detail": "titles[1] is blank (empty, spaces or invisible characters alone); leave it "
            "out",
        },
    }
    assert (too_long["index"], too_long["error"]["code"]) == (2, "title_too_long")
    assert (number["index"], number["error"]["code"]) == (3, "title_not_a_string")


def test_where_no_title_can_be_classified_the_model_is_not_asked(client, route):
    route.before_scoring = lambda: 1 / 0
    (result,) = classify(client, titles=[""])["results"]
    assert result["error"]["code"] == "blank_title"


def test_a_byte_order_mark_is_skipped(client):
    response = client.post(
        "/v1/classify",
        content=b"\xef\xbb\xbf" + '{"titles": ["球"]}'.encode(),
        headers={"content-type": "application/json"},
    )
    assert response.json()["results"][0]["label"] == "sports"


def test_the_client_may_shorten_the_deadline(client, route):
    release = threading.Event()
    route.before_scoring = lambda: release.wait(30)
    response = client.post("/v1/classify", json={"titles": ["股"]}, headers={"x-timeout-ms": "50"})
    release.set()
    assert response.status_code == 504
    assert response.json()["code"] == "deadline_exceeded"
    assert "within 0.05 s" in response.json()["detail"]


def test_models_are_scored_on_threads_of_their_own(client, route):
    threads = []
    route.before_scoring = lambda: threads.append(threading.current_thread().name)
    for _ in range(3):
        classify(client, titles=["股"])
    assert threads == ["inference"] * 3


def test_agrees_with_the_transformers_pipeline(encoder_folder, settings):
    from transformers import pipeline

    titles = ["沪指震荡收涨", "主场2-1逆转对手", "Apple Q3", "新款 手机"]
    reference = pipeline("text-classification", str(encoder_folder), top_k=None)
    service = create_app(settings.model_copy(update={"model": encoder_folder}))
    with TestClient(service) as client:
        results = classify(client, titles=titles, top_k=10, calibrated=False)["results"]
    assert max(result["score"] for result in results) > 0.2  # else all classes are alike
    for result, expected in zip(results, reference(titles), strict=True):
        scores = {ranked["label"]: ranked["score"] for ranked in result["top_k"]}
        assert scores == pytest.approx({e["label"]: e["score"] for e in expected}, abs=1e-5)


def test_concurrent_requests_are_answered_as_single_ones(encoder_folder, settings):
    titles = ["沪指震荡收涨", "主场2-1逆转对手", "Apple Q3", "新款 手机"] * 10
    service = create_app(settings.model_copy(update={"model": encoder_folder}))
    with TestClient(service) as client, ThreadPoolExecutor(8) as clients:
        alone = {title: classify(client, titles=[title])["results"] for title in set(titles)}
        together = list(clients.map(lambda title: classify(client, titles=[title]), titles))
    for title, answer in zip(titles, together, strict=True):
        (found,), (expected,) = answer["results"], alone[title]
        assert found["label"] == expected["label"]
        # sums of floats differ with what else is in the batch
        assert found["score"] == pytest.approx(expected["score"], abs=1e-6)


def test_openapi_examples_are_valid_requests_and_answers(client):
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/v1/classify"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["titles"]
    assert schema["additionalProperties"] is False
    example = schema["examples"][0]
    assert len(classify(client, **example)["results"]) == len(example["titles"])
    assert set(operation["responses"]) == {
        "200", "400", "404", "413", "415", "422", "429", "500", "503", "504",
    }  # fmt: skip
    answer = document["components"]["schemas"]["ClassifyResponse"]["examples"][0]
    assert answer["results"][0]["display_name"] == "股票"
