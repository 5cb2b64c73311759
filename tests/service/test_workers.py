"""Several processes behind one address, with the model that ships."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import until
from .test_serve import Server, running

PROGRAM = """
from service.run import serve
from service.settings import read_settings
serve(read_settings(port=0, workers=2, shutdown_timeout_s=3))
"""
TITLE = "国足客场一球小胜 小组赛取得开门红"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="children are found in /proc"
)


@pytest.fixture
def server() -> Iterator[Server]:
    with running(PROGRAM) as server:
        yield server


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_they_answer_and_end_together(server: Server):
    workers = children(server.process.pid)

    for _ in range(8):  # each a connection of its own
        status, answer = server.classify(TITLE)
        assert (status, answer["results"][0]["label"]) == (200, "sports")
    code, log = server.stop()

    assert len(workers) == 2
    assert code == 0, log
    assert not any(map(is_alive, workers))


def test_one_that_is_killed_is_replaced_and_the_others_serve_on(server: Server):
    killed, other = children(server.process.pid)

    os.kill(killed, signal.SIGKILL)

    assert until(lambda: not is_alive(killed))
    assert all(server.classify(TITLE)[0] == 200 for _ in range(5))
    assert until(lambda: len(children(server.process.pid)) == 2)
    assert other in children(server.process.pid)
    code, log = server.stop()
    assert code == 0
    assert f"worker {killed} ended (-9); another is started" in log


def test_none_is_left_where_the_supervisor_is_killed(server: Server):
    workers = children(server.process.pid)

    server.process.kill()

    assert until(lambda: not any(map(is_alive, workers)))


def test_a_model_that_cannot_be_opened_ends_all(tmp_path: Path):
    program = PROGRAM.replace("port=0", f"port=0, model={str(tmp_path)!r}")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode != 0
    assert "it has no artifact.json" in done.stderr
    assert "a worker ended before it was ready" in done.stderr
