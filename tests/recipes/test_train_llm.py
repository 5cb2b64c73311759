"""`biaoti train llm`, and what the route is to the other verbs: one as any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from baselines import llm_endpoint
from cli import main
from models.manifest import Manifest
from recipes.train_linear import TrainLinear, train_linear
from tests.baselines.chat_server import ChatServer, running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatServer]:
    monkeypatch.setattr(llm_endpoint, "FIRST_WAIT_S", 0.02)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with running(ChatServer({"stocks": "股", "sports": "球", "education": ""})) as found:
        monkeypatch.setenv("BIAOTI_LLM_URL", found.url)
        yield found


def words(server: ChatServer, titles: Path, *more: str) -> list[str]:
    files = ["--train", str(titles), "--dev", str(titles), "--output", str(titles.parent / "llm")]
    asked = ["--url", server.url, "--model", "tiny", "--batch-size", "8", "--dev-titles", "24"]
    return ["train", "llm", *files, *asked, *more]


def test_it_is_calibrated_on_some_dev_titles_and_compared_by_its_price(server, titles, capsys):
    prices = ["--price-in", "2", "--price-out", "8"]

    assert main(words(server, titles, *prices)) == 0

    manifest = Manifest.read(titles.parent / "llm")
    metrics = manifest.provenance.metrics
    assert metrics["dev_accuracy"] == 1.0
    assert metrics["dev_titles_without_an_answer"] == 0
    assert len(server.paid) == 24 + 12  # the probes, too
    assert set(server.paid.values()) == {1}
    assert metrics["price_per_million"] > 0
    asked = "".join(request["messages"][1]["content"] for request in server.requests)
    assert "已分类的例子" in asked

    train_linear(TrainLinear(train=str(titles), dev=str(titles), output=titles.parent / "linear"))
    folders = [str(titles.parent / name) for name in ("linear", "llm")]
    speed = ["--rounds", "1", "--latency-titles", "2", "--throughput-titles", "8"]
    report = titles.parent / "report"
    capsys.readouterr()
    compare = ["compare", *folders, "--data", str(titles), *speed, "--output", str(report)]
    assert main(compare) == 0, capsys.readouterr().err
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row for row in found["overview"]["models"]}
    assert rows["llm"]["group"] == "Behind an endpoint"
    assert rows["llm"]["price_per_million"] == pytest.approx(metrics["price_per_million"])
    assert rows["llm"]["p50_ms"] is None
    assert rows["linear"]["p50_ms"] > 0
    assert [row["name"] for row in found["speed"]["models"]] == ["linear"]
    assert "llm" not in found["overview"]["fronts"]["size"]
    assert f"costs {metrics['price_per_million']:,.2f}" in (report / "report.md").read_text("utf-8")
    assert set(server.paid.values()) == {1}


def test_without_a_key_and_beyond_a_budget_it_says_what_to_do(server, titles, capsys, monkeypatch):
    assert main(words(server, titles, "--most-tokens", "900")) == 9
    assert "the budget would be exceeded" in capsys.readouterr().err
    assert 0 < server.tokens <= 900
    assert not (titles.parent / "llm").exists()

    assert main(words(server, titles, "--most-money", "1")) == 2
    assert "pass --price-in and --price-out" in capsys.readouterr().err
    monkeypatch.delenv("BIAOTI_LLM_URL")
    assert main(words(server, titles)) == 2
    assert f"set BIAOTI_LLM_URL={server.url}" in capsys.readouterr().err
