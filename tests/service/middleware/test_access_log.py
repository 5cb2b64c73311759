"""AccessLog: one line a request, and no title in it."""

from __future__ import annotations

import logging
import re

import pytest


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, logger="biaoti.access")
    return lambda: [r.getMessage() for r in caplog.records if r.name == "biaoti.access"]


def test_a_request_is_one_line_with_method_path_status_time_and_titles(client, lines):
    client.post("/v1/classify", json={"titles": ["股市大涨", "球"]})
    (line,) = lines()
    assert re.fullmatch(r"POST /v1/classify 200 \d+\.\d ms 2 titles", line)


def test_no_text_of_a_title_is_logged(client, caplog):
    caplog.set_level(logging.DEBUG)
    client.post("/v1/classify", json={"titles": ["秘密的股市标题"]})
    client.post("/v1/classify", json={"titles": ["秘密的股市标题" * 9]})
    assert "秘密" not in caplog.text


@pytest.mark.parametrize(
    ("path", "shown", "status"),
    [
        ("/nowhere", "/nowhere", 404),
        ("/a%0AGET /health 200", "/a%0AGET%20/health%20200", 404),
        ("/" + "a" * 500, "/" + "a" * 199, 404),
    ],
)
def test_a_path_cannot_forge_a_line(client, lines, path, shown, status):
    client.get(path)
    (line,) = lines()
    assert re.fullmatch(rf"GET {re.escape(shown)} {status} \d+\.\d ms 0 titles", line)


def test_refusals_and_failures_are_logged_with_their_status(client, route, lines):
    client.post("/v1/classify", json={"titles": ["股"] * 5})
    route.before_scoring = lambda: 1 / 0
    client.post("/v1/classify", json={"titles": ["股"]})
    assert [line.split()[2] for line in lines()] == ["413", "500"]
    assert [line.split()[-2] for line in lines()] == ["5", "1"]
