"""The README's commands that need nothing of what others have made.

`make serve` is started, asked with the README's own curl line, and stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from .documents import BENCHMARKS, CURL, ROOT, SERVE, run_block

READY = "http://127.0.0.1:8000/ready"
START_TIMEOUT_S = 600

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served() -> Iterator[None]:
    """`make serve`, ready."""
    process = subprocess.Popen(["bash", "-c", SERVE[0]], cwd=ROOT, start_new_session=True)
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _is_ready():
            assert process.poll() is None, "make serve ended"
            assert time.monotonic() < deadline, "make serve is not ready in time"
            time.sleep(0.5)
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def _is_ready() -> bool:
    try:
        with urlopen(READY, timeout=5) as answer:
            return answer.status == 200
    except (URLError, ConnectionError, TimeoutError):
        return False


@pytest.mark.usefixtures("served")
def test_make_serve_answers_the_readmes_question():
    answer = json.loads(run_block(CURL[0]))

    result = answer["results"][0]
    assert (result["label"], result["display_name"]) == ("sports", "体育")
    assert len(result["top_k"]) == 3


@pytest.mark.parametrize("block", BENCHMARKS, ids=lambda block: block.split("\n")[0][:60])
def test_a_benchmark_of_the_readme_runs(block: str):
    run_block(block)
