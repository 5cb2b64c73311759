"""What the README says is what happens: its commands are run as they stand, on samples/.

`make test` is left out, since it is what runs this file; `make serve` is started, asked with the
README's own curl line, and stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from .documents import ROOT, bash_blocks

READY = "http://127.0.0.1:8000/ready"
START_TIMEOUT_S = 600

pytestmark = pytest.mark.slow


BLOCKS = bash_blocks("README.md")
SERVE = [block for block in BLOCKS if "make serve" in block]
CURL = [block for block in BLOCKS if "curl " in block]
OTHERS = [b for b in BLOCKS if b not in SERVE + CURL and "make test" not in b]


def run(block: str) -> str:
    """Run a block as a reader would, from the root, in the environment that is being tested."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "DATA": "samples"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


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


def test_the_readme_has_what_is_run_here():
    assert len(SERVE) == 1
    assert len(CURL) == 1
    assert len(OTHERS) >= 3


@pytest.mark.usefixtures("served")
def test_make_serve_answers_the_readmes_question():
    answer = json.loads(run(CURL[0]))

    result = answer["results"][0]
    assert (result["label"], result["display_name"]) == ("sports", "体育")
    assert len(result["top_k"]) == 3


@pytest.mark.parametrize("block", OTHERS, ids=lambda block: block.split("\n")[0][:60])
def test_a_command_of_the_readme_runs(block: str):
    run(block)
