"""/metrics: what was asked, answered and refused is counted."""

from __future__ import annotations

import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families


def samples(client) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = client.get("/metrics").text
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def counted(client):
    """By how much a metric has grown since the test began."""
    before = samples(client)

    def grown(name: str, **labels: str) -> float:
        key = name, tuple(sorted(labels.items()))
        return samples(client).get(key, 0.0) - before.get(key, 0.0)

    return grown


def test_requests_and_answers_are_counted(client, counted):
    client.post("/v1/classify", json={"titles": ["股股股", "球", ""]})
    client.post("/predict", json={"inputs": "股"})
    client.post("/v1/classify", json={"titles": []})
    client.get("/nowhere")

    assert counted("biaoti_requests_total", endpoint="/v1/classify", status="200") == 1
    assert counted("biaoti_requests_total", endpoint="/v1/classify", status="422") == 1
    assert counted("biaoti_requests_total", endpoint="/predict", status="200") == 1
    assert counted("biaoti_requests_total", endpoint="other", status="404") == 1
    assert counted("biaoti_request_seconds_count", endpoint="/v1/classify") == 2
    assert counted("biaoti_answers_total", label="stocks") == 2
    assert counted("biaoti_answers_total", label="sports") == 1
    assert counted("biaoti_confidence_count") == 3
    assert counted("biaoti_batch_titles_sum") >= 3
    assert counted("biaoti_wait_seconds_count") >= 2


def test_which_model_answers_is_told(client):
    assert samples(client)["biaoti_model", (("name", "keywords"), ("version", "0123456789ab"))] == 1


def test_titles_that_nobody_waited_for_are_counted(client, route, counted):
    release, entered = threading.Event(), threading.Event()

    def hold() -> None:
        entered.set()
        release.wait(20)

    route.before_scoring = hold
    late = {"x-timeout-ms": "30"}
    for _ in range(3):
        client.post("/v1/classify", json={"titles": ["股", "球"]}, headers=late)
    assert entered.is_set()
    release.set()
    route.before_scoring = lambda: None
    client.post("/v1/classify", json={"titles": ["玩"]})

    assert counted("biaoti_dropped_titles_total") == 4
    assert counted("biaoti_waiting_titles") == 0
