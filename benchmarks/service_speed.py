"""The service beside its rivals: the model that ships behind each, in one run.

    python benchmarks/service_speed.py --output benchmarks/results/service.json

Each server is started, warmed, and put under load by one title a request on 1, 16 and 64
connections, and by 32 titles a request on 4; round after round, all servers in turn, so that a
machine that grows slower does so for all. What is told is the median of the rounds. The load
generator shares the cores with the server. With a model that takes next to no time (--model, such
as fastText's), what is measured is the serving alone. Rivals whose packages are not installed
(`pip install litserve bentoml`) are left out, and that is said.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from http_load import put_under_load, quantile, request_bytes

from models.artifact import DEFAULT_FOLDER, Manifest, load
from models.machine import available_threads, describe
from models.staging import staged_file
from titles import Source, read

_HERE = Path(__file__).parent
_SAMPLES = _HERE.parent / "samples" / "train.txt"
_START_S = 120
_MANY = 32
"""Titles a request, where there are several."""
LOADS = {"1": (1, 1), "16": (16, 1), "64": (64, 1), f"4 x {_MANY} titles": (4, _MANY)}
"""Connections and titles a request, by what they are called."""

_OURS = [sys.executable, "-c", "import sys; from cli import main; sys.exit(main())", "serve"]
SERVERS = {
    "ours": [*_OURS, "--port", "{port}"],
    "ours, 2 workers": [*_OURS, "--workers", "2", "--port", "{port}"],
    "plain handler": [sys.executable, "plain.py", "{port}", "1"],
    "plain handler, 2 workers": [sys.executable, "plain.py", "{port}", "2"],
    "LitServe": [sys.executable, "litserve_server.py", "{port}", "2"],
    "BentoML": [sys.executable, "bentoml_server.py", "{port}"],
}
_NEEDS = {"LitServe": "litserve", "BentoML": "bentoml"}


@contextmanager
def running(command: list[str]) -> Iterator[int]:
    """A server, ready; its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"PYTHONPATH": f"{_HERE.parent}{os.pathsep}{_HERE / 'rivals'}"}
    process = subprocess.Popen(
        [word.format(port=port) for word in command],
        cwd=_HERE / "rivals",
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait(port, process)
        yield port
    finally:
        os.killpg(process.pid, 15)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Raises: RuntimeError: it ended, or is not ready in time."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        for path in ("ready", "readyz"):
            try:
                with urlopen(f"http://127.0.0.1:{port}/{path}", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except (URLError, OSError):
                time.sleep(0.1)
    raise RuntimeError(f"the server is not ready after {_START_S} s")


def measure(port: int, titles: list[str], seconds: float) -> dict[str, dict[str, float]]:
    """Requests a second and latency under each load, of those that were answered rightly."""
    found = {}
    for name, (connections, each) in LOADS.items():
        groups = [titles[i : i + each] for i in range(0, len(titles) - each + 1, each)]
        requests = [request_bytes("/v1/classify", {"titles": group}) for group in groups]
        put_under_load(port, requests, connections, seconds / 4)
        measured = put_under_load(port, requests, connections, seconds)
        good = measured.of(200)
        if not good:
            raise RuntimeError(f"{name}: no request was answered")
        failed = len(measured.latencies) - len(good) + measured.broken
        found[name] = {
            "failed_share": failed / (failed + len(good)),
            "requests_per_s": len(good) / measured.seconds,
            "titles_per_s": each * len(good) / measured.seconds,
            "p50_ms": 1000 * quantile(good, 0.5),
            "p99_ms": 1000 * quantile(good, 0.99),
        }
    return found


def bare_titles_per_s(folder: Path, titles: list[str]) -> float:
    """Of the model alone, in batches of 256, on all threads."""
    with load(folder) as model:
        model.predict_proba(titles)
        started = time.perf_counter()
        for start in range(0, len(titles), 256):
            model.predict_proba(titles[start : start + 256])
        return len(titles) / (time.perf_counter() - started)


def median_of(rounds: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    return {
        name: {
            figure: round(statistics.median(each[name][figure] for each in rounds), 2)
            for figure in rounds[0][name]
        }
        for name in LOADS
    }


def main() -> None:
    """Measure all, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each load")
    parser.add_argument("--servers", nargs="+", choices=SERVERS, default=list(SERVERS))
    parser.add_argument("--model", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the JSON is written")
    options = parser.parse_args()
    os.environ["BIAOTI_MODEL"] = str(options.model.resolve())  # read by all servers
    titles = list(read(Source(_SAMPLES)).titles)
    missing = [name for name in options.servers if not find_spec(_NEEDS.get(name, "models"))]
    for name in missing:
        print(f"{name} is left out: {_NEEDS[name]} is not installed", file=sys.stderr)
    chosen = [name for name in options.servers if name not in missing]
    rounds: dict[str, list[dict[str, dict[str, float]]]] = {name: [] for name in chosen}
    for number in range(options.rounds):
        for name in chosen:
            with running(SERVERS[name]) as port:
                rounds[name].append(measure(port, titles, options.seconds))
            print(f"round {number + 1}: {name} {rounds[name][-1]}", file=sys.stderr)
    result: dict[str, Any] = {
        **describe(),
        "threads": available_threads(),
        "model": Manifest.read(options.model).name,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "left_out": missing,
        "bare_titles_per_s": round(bare_titles_per_s(options.model, titles), 1),
        "servers": {name: median_of(found) for name, found in rounds.items()},
    }
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if options.output:
        with staged_file(options.output) as staging:
            staging.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
