import json
from pathlib import Path

import pytest


@pytest.fixture
def written(tmp_path: Path) -> Path:
    import translate

    words = ["one", "two", "three", "four", "five", "six"]
    lines = [f"{a} {b} {c}\t{c} {b} {a}" for a in words for b in words for c in words]
    (tmp_path / "pairs.txt").write_text("\n".join(lines), encoding="utf-8")
    model = ["--d-model", "16", "--heads", "2", "--d-ff", "32", "--layers", "1"]
    run = ["--epochs", "1", "--vocab-size", "60", "--cache-lengths", "4", "8"]
    paths = ["--data", str(tmp_path / "pairs.txt"), "--output", str(tmp_path / "out")]

    translate.main([*paths, *model, *run])
    return tmp_path / "out"


@pytest.mark.slow
def test_a_run_reports_every_strategy_both_models_and_the_cache(written: Path):
    results = json.loads((written / "results.json").read_text())

    assert set(results["ours"]["bleu"]) == {"greedy", "beam", "top_k", "top_p"}
    assert results["ours"]["parameters"] == results["nn.Transformer"]["parameters"]
    assert all(0 <= row["bleu"] <= 100 for row in results["ours"]["bleu"].values())
    assert [row["tokens"] for row in results["cache"]] == [4, 8]
    for name in ("alignment.png", "cache_speed.png"):
        assert (written / name).read_bytes()[:4] == b"\x89PNG"
