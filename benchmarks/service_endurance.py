"""What the service does under too much load, while it ends, reloads, and loses a worker.

    python benchmarks/service_endurance.py --output benchmarks/results/service_endurance.json

The model that ships answers; the load generator shares the cores with it. `--seconds`, `--rounds`
and `--requests` are the size of the trials.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from http_load import Measured, put_under_load, quantile, request_bytes

from models.artifact import load, save
from models.machine import available_threads, describe
from models.staging import staged_file
from titles import Source, read

_SAMPLES = Path(__file__).parent.parent / "samples" / "train.txt"
_PROGRAM = "import sys; from cli import main; sys.exit(main())"
_PEAK_CONNECTIONS = 16
_SURPLUS = 3
"""Times saturation."""
_MANY_CONNECTIONS = 192
_DEADLINE_S = 2.0


@dataclass
class Server:
    """A running service."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def workers(self) -> list[int]:
        """Process ids of its children."""
        pid = self.process.pid
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    @property
    def resident_bytes(self) -> int:
        """Memory of its process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]

    def reload(self) -> str:
        """The version of the model that answers now."""
        asked = Request(f"http://127.0.0.1:{self.port}/v1/models/default/reload", b"")
        with urlopen(asked, timeout=60) as answer:
            return str(json.load(answer)["version"])


@contextmanager
def serving(**settings: object) -> Iterator[Server]:
    """The service on a free port, ready, with settings as its environment names them."""
    environment = {f"BIAOTI_{name.upper()}": str(value) for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, "serve", "--port", "0"],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        yield Server(process, int(re.search(r"port (\d+)", said)[1]))  # type: ignore[index]
    finally:
        process.terminate()
        process.wait(60)


def requests_of(titles: list[str], each: int) -> list[bytes]:
    """Requests that take so many of the titles each, in turn."""
    groups = [titles[i : i + each] for i in range(0, len(titles) - each + 1, each)]
    return [request_bytes("/v1/classify", {"titles": group}) for group in groups]


def overload(titles: list[str], each: int, seconds: float) -> dict[str, float]:
    """Three times as many requests as can be answered, each with so many titles."""
    requests = requests_of(titles, each)
    with serving(deadline_s=_DEADLINE_S) as server:
        put_under_load(server.port, requests, _PEAK_CONNECTIONS, seconds / 10)
        peak = put_under_load(server.port, requests, _PEAK_CONNECTIONS, seconds / 4)
        rate = len(peak.of(200)) / peak.seconds
        found = put_under_load(
            server.port, requests, _MANY_CONNECTIONS, seconds, per_s=_SURPLUS * rate
        )
    accepted, refused, late = found.of(200), found.of(429), found.of(504)
    others = len(found.latencies) - len(accepted + refused + late) + found.broken
    return {
        "titles_a_request": each,
        "peak_per_s": rate,
        "asked_per_s": len(found.latencies) / found.seconds,
        "goodput_share_of_peak": len(accepted) / found.seconds / rate,
        "accepted_p99_ms": 1000 * quantile(accepted, 0.99),
        "deadline_ms": 1000 * _DEADLINE_S,
        "refused": len(refused),
        "refused_p99_ms": 1000 * quantile(refused, 0.99),
        "accepted_and_late": len(late),
        "answered_otherwise": others,
    }


def memory(titles: list[str], requests: int) -> dict[str, float]:
    """Of the service after a tenth of the requests, and after all."""
    batch = requests_of(titles, 1)
    with serving() as server:
        found = _asked(server, batch, requests // 10)
        early = server.resident_bytes
        found += _asked(server, batch, requests - found)
        return {"requests": found, "early_mb": early / 1e6, "late_mb": server.resident_bytes / 1e6}


def _asked(server: Server, batch: list[bytes], count: int) -> int:
    done = 0
    while done < count:
        done += len(put_under_load(server.port, batch, _PEAK_CONNECTIONS, 1.0).of(200))
    return done


def endings(titles: list[str], rounds: int, workers: int = 2) -> dict[str, float]:
    """SIGTERM under load: what became of the requests, and of the processes."""
    requests = requests_of(titles, 8)
    answered, refused, broken, longest, left = 0, 0, 0, 0.0, 0
    for _ in range(rounds):
        with serving(workers=workers) as server, ThreadPoolExecutor() as pool:
            children = server.workers
            load_ = pool.submit(put_under_load, server.port, requests, _PEAK_CONNECTIONS, 30.0)
            time.sleep(1)
            started = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(60)
            longest = max(longest, time.monotonic() - started)
            found = load_.result()
            left += sum(Path(f"/proc/{pid}").exists() for pid in children)
            if code:
                raise RuntimeError(f"the service ended with {code}")
        answered += len(found.of(200))
        refused += len(found.of(503))
        broken += found.broken
    return {
        "rounds": rounds,
        "answered": answered,
        "refused_503": refused,
        "without_an_answer": broken,
        "longest_s": longest,
        "processes_left": left,
    }


def reloads(titles: list[str], rounds: int) -> dict[str, float]:
    """The model is replaced under load, again and again."""
    requests = requests_of(titles, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with load() as model:
            for version in ("a", "b"):
                save(model.uncalibrated, folder / version, temperature=1.0 + (version == "b") / 8)
        current = folder / "current"
        current.symlink_to(folder / "a")
        with serving(model=current) as server, ThreadPoolExecutor() as pool:
            put_under_load(server.port, requests, 4, 2.0)
            quiet = put_under_load(server.port, requests, 4, rounds * 0.4)
            versions = set()
            under_load = pool.submit(put_under_load, server.port, requests, 4, rounds * 0.4)
            started = time.monotonic()
            for number in range(rounds):
                fresh = folder / "next"
                fresh.symlink_to(folder / ("b" if number % 2 == 0 else "a"))
                fresh.replace(current)
                versions.add(server.reload())
                time.sleep(max(0.0, started + 0.4 * (number + 1) - time.monotonic()))
            found = under_load.result()
    return {
        "rounds": rounds,
        "versions": len(versions),
        "answered": len(found.of(200)),
        "answered_otherwise": len(found.latencies) - len(found.of(200)) + found.broken,
        "p99_ms": 1000 * quantile(found.of(200), 0.99),
        "p99_ms_without": 1000 * quantile(quiet.of(200), 0.99),
    }


def losses(titles: list[str], rounds: int) -> dict[str, float]:
    """One of two workers is killed under load; how many requests that cost."""
    requests = requests_of(titles, 8)
    broken, answered, most = 0, 0, 0
    with serving(workers=2) as server, ThreadPoolExecutor() as pool:
        for _ in range(rounds):
            under_load = pool.submit(put_under_load, server.port, requests, _PEAK_CONNECTIONS, 3.0)
            time.sleep(1)
            os.kill(server.workers[0], signal.SIGKILL)
            found: Measured = under_load.result()
            broken += found.broken
            most = max(most, found.broken)
            answered += len(found.of(200))
            _until_there_are(server, 2)
    return {"rounds": rounds, "answered": answered, "lost": broken, "most_lost_at_once": most,
            "connections": _PEAK_CONNECTIONS}  # fmt: skip


def _until_there_are(server: Server, workers: int) -> None:
    for _ in range(600):
        if len(server.workers) == workers:
            return
        time.sleep(0.1)
    raise RuntimeError("the killed worker was not replaced within a minute")


TRIALS = ("overload", "memory", "endings", "reloads", "losses")


def main() -> None:
    """Run the trials, print and write what they gave."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", nargs="+", choices=TRIALS, default=TRIALS)
    parser.add_argument("--seconds", type=float, default=60, help="of overload")
    parser.add_argument("--rounds", type=int, default=20, help="of ending; reloads are 2.5 times")
    parser.add_argument("--requests", type=int, default=100_000, help="while memory is watched")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the JSON is written")
    options = parser.parse_args()
    titles = list(read(Source(_SAMPLES)).titles)
    trials: dict[str, Any] = {
        "overload": lambda: [overload(titles, each, options.seconds) for each in (1, 8, 32)],
        "memory": lambda: memory(titles, options.requests),
        "endings": lambda: endings(titles, options.rounds),
        "reloads": lambda: reloads(titles, options.rounds * 5 // 2),
        "losses": lambda: losses(titles, max(1, options.rounds // 4)),
    }
    result: dict[str, Any] = {**describe(), "threads": available_threads()}
    for name in options.trials:
        result[name] = _rounded(trials[name]())
        print(f"{name}: {result[name]}", file=sys.stderr)
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if options.output:
        with staged_file(options.output) as staging:
            staging.write_text(text + "\n", encoding="utf-8")


def _rounded(found: Any) -> Any:
    if isinstance(found, list):
        return [_rounded(each) for each in found]
    # what was not there to be measured is no number, in JSON either
    return {name: None if value != value else round(value, 3) for name, value in found.items()}


if __name__ == "__main__":
    main()
