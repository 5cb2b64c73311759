"""The last hour, minute by minute."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client import Counter as Metric
from starlette.testclient import TestClient

from models.artifact import LoadedModel
from models.manifest import Answers
from service.activity import MINUTES, Activity, Totals, totals
from service.app import create_app


def at(requests: int, within: dict[float, int], **answers: int) -> Totals:
    return Totals(requests, Counter(within), Counter(answers))


def test_a_minute_is_the_difference_of_two_looks():
    looks = iter(
        [
            at(10, {0.004: 10, 0.008: 10}, sports=3),
            at(10, {0.004: 10, 0.008: 10}, sports=3),
            at(110, {0.004: 60, 0.008: 108, float("inf"): 110}, sports=5, unknown=1),
        ]
    )
    times = iter([0.0, 60.0, 75.0])
    activity = Activity(lambda: next(looks), lambda: next(times))
    activity.note()
    quiet, running = activity.minutes()
    assert (quiet.began, quiet.requests, quiet.p50_s, quiet.answers) == (0.0, 0, None, {})
    assert (running.began, running.requests) == (60.0, 100)
    assert (running.p50_s, running.p99_s) == (0.004, float("inf"))
    assert running.answers == {"sports": 2, "unknown": 1}


def test_an_hour_is_kept():
    now = [0.0]
    activity = Activity(lambda: at(int(now[0]), {}), lambda: now[0])
    for minute in range(1, 100):
        now[0] = 60.0 * minute
        activity.note()
    minutes = activity.minutes()
    assert len(minutes) == MINUTES == 60
    assert [minute.requests for minute in minutes] == [60] * 59 + [0]
    assert minutes[0].began == 60.0 * 40


def test_requests_for_classes_are_counted_and_others_are_not():
    registry = CollectorRegistry()
    seconds = Histogram(
        "biaoti_request_seconds", "", ["endpoint"], buckets=(0.001, 0.002), registry=registry
    )
    answers = Metric("biaoti_answers", "", ["label"], registry=registry)
    for endpoint in ("/v1/classify", "/v1/classify/file", "/predict", "/", "/health", "other"):
        seconds.labels(endpoint).observe(0.0015)
    answers.labels("sports").inc(3)
    found = totals(registry)
    assert found.requests == 4
    assert found.within == {0.001: 0, 0.002: 4, float("inf"): 4}
    assert found.answers == {"sports": 3}


def test_the_service_tells_of_itself(client):
    before = client.get("/v1/activity").json()["minutes"][-1]
    client.post("/v1/classify", json={"titles": ["球", "球", "股"]})
    client.get("/health")
    (minute,) = client.get("/v1/activity").json()["minutes"]
    assert minute["requests"] - before["requests"] == 1
    assert minute["answers"]["sports"] - before["answers"].get("sports", 0) == 2
    assert 0 < minute["p50_ms"] <= minute["p99_ms"]


EXPECTED = Answers({"sports": 0.5, "game": 0.4, "unknown": 0.1}, (0.0,) * 5 + (0.2,) * 5)


def drifting(sports: int, game: int, confident: int) -> Activity:
    """Looks at nothing, then at so many answers, of which some have a confidence above 0.9."""
    bounds = [i / 10 for i in range(1, 11)]
    unsure = sports + game - confident
    up_to = Counter(
        {bound: min(unsure, round(unsure * 2 * max(0, bound - 0.5))) for bound in bounds}
    )
    up_to[1.0] = sports + game
    after = Totals(1, Counter(), Counter(sports=sports, game=game), up_to)
    looks = iter([Totals(), after])
    return Activity(lambda: next(looks), lambda: 0.0)


def test_answers_as_expected_have_not_drifted_and_others_have():
    near = drifting(550, 450, 200).drift(EXPECTED)
    far = drifting(50, 950, 900).drift(EXPECTED)
    assert 0.05 < near["classes"] < 1  # no unknown one was there
    assert far["classes"] > near["classes"] + 0.5
    assert far["confidence"] > 0.5 > near["confidence"] >= 0


def test_of_few_titles_nothing_is_told():
    assert drifting(100, 99, 10).drift(EXPECTED) == {}
    assert set(drifting(100, 100, 10).drift(EXPECTED)) == {"classes", "confidence"}


def test_drift_is_a_metric_where_the_model_says_how_it_answered_dev(settings, model):
    provenance = replace(model.manifest.provenance, answers=EXPECTED)
    manifest = replace(model.manifest, provenance=provenance)
    telling = LoadedModel(model.folder, manifest, model.uncalibrated)
    with TestClient(create_app(settings, telling)) as client:
        assert 'biaoti_drift_psi{of="classes"}' not in client.get("/metrics").text
        for _ in range(50):
            client.post("/v1/classify", json={"titles": ["球", "球", "球", "股"]})
        told = dict(
            re.findall(r'^biaoti_drift_psi\{of="(\w+)"\} (\S+)$', client.get("/metrics").text, re.M)
        )
    assert set(told) == {"classes", "confidence"}
    assert float(told["classes"]) > 0.25
