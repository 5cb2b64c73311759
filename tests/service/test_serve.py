"""A real server in a process of its own, on a free port of the loopback interface."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from models.errors import UsageError
from service.listener import announcement, open_listener

PROGRAM = """
import sys
from service.run import serve
from service.settings import read_settings
serve(read_settings(model=sys.argv[1], port=0, max_body_bytes=4096, shutdown_timeout_s=2))
"""
HANGING = """
import sys, threading
sys.path.insert(0, sys.argv[2])
import models.artifact, service.run, service.inference.registry
from conftest import KeywordRoute
from service.settings import read_settings
models.artifact.find_route = lambda name: KeywordRoute
models.artifact.save(KeywordRoute(), models.artifact.Path(sys.argv[1]))
def load(folder):
    loaded = models.artifact.load(folder)
    def hang_on_play(titles, score=loaded.uncalibrated.score):
        if "玩" in titles:
            threading.Event().wait()
        if "败" in titles:
            raise RuntimeError("the model broke")
        return score(titles)
    loaded.uncalibrated.score = hang_on_play
    return loaded
service.inference.registry.load = load
service.run.serve(read_settings(
    model=sys.argv[1], port=0, deadline_s=1, hung_after_s=60, shutdown_timeout_s=3))
"""


class Server:
    """A running server: what it printed, and a way to ask it."""

    def __init__(self, process: subprocess.Popen[str], printed: list[str], port: int):
        self.process = process
        self.printed = printed
        self.port = port

    def ask(self, method: str, path: str, body=None, **headers) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Content-Type": "application/json"} | headers
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def classify(self, *titles: str) -> tuple[int, dict]:
        return self.ask("POST", "/v1/classify", json.dumps({"titles": titles}))

    def stop(self) -> tuple[int, str]:
        """Send SIGTERM; the exit code, and what was logged."""
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=30)
        return self.process.returncode, log


@contextlib.contextmanager
def running(program: str, *arguments: str):
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    giving_up = threading.Timer(120, process.kill)
    giving_up.start()
    try:
        printed = [process.stdout.readline() for _ in range(3)]
        found = re.search(r"port (\d+)", printed[0])
        assert found, process.communicate()
        yield Server(process, printed, int(found[1]))
    finally:
        giving_up.cancel()
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def hanging(tmp_path):
    """A server whose model hangs at one title and breaks at another."""
    with running(HANGING, str(tmp_path / "model"), str(Path(__file__).parent)) as server:
        yield server


def test_classifies_and_stops_on_sigterm_with_exit_code_0(encoder_folder):
    with running(PROGRAM, str(encoder_folder)) as server:
        assert server.printed[0] == (
            f"Listening on 127.0.0.1 port {server.port}: http://127.0.0.1:{server.port}\n"
        )
        status, answer = server.classify("沪指震荡收涨", "球队豪取三连胜")
        assert (status, answer["model"]["name"], len(answer["results"])) == (200, "tiny", 2)
        assert server.ask("GET", "/ready")[0] == 200
        status, answer = server.ask("POST", "/v1/classify", iter([b" " * 2048] * 4))
        assert (status, answer["code"]) == (413, "body_too_large")
        code, log = server.stop()
    assert code == 0, log
    assert re.search(r"INFO POST /v1/classify 200 \d+\.\d ms 2 titles \[\w{16}\]\n", log)
    assert "沪指" not in log


def test_pasted_curl_line_works(hanging):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    line = hanging.printed[2].removeprefix("Try it: ")
    run = subprocess.run(
        [curl, "-s", *shlex.split(line)[1:]], capture_output=True, timeout=20, check=True
    )
    assert json.loads(run.stdout)["results"][0]["label"] == "stocks"


def test_failure_is_logged_once_with_its_trace_and_answered_without(hanging):
    status, answer = hanging.classify("败")
    assert (status, answer["code"]) == (500, "internal_error")
    code, log = hanging.stop()
    assert log.count("RuntimeError: the model broke") == 1
    assert "Traceback" in log
    assert code == 0


def test_accepted_request_is_answered_after_sigterm(hanging):
    connection = http.client.HTTPConnection("127.0.0.1", hanging.port, timeout=20)
    with contextlib.closing(connection):
        body = json.dumps({"titles": ["玩"]})
        connection.request("POST", "/v1/classify", body, {"Content-Type": "application/json"})
        hanging.ask("GET", "/health")  # came later: the other has been accepted by then
        hanging.process.send_signal(signal.SIGTERM)
        response = connection.getresponse()
        assert response.status == 504
        assert json.loads(response.read())["code"] == "deadline_exceeded"


def test_hung_inference_does_not_keep_the_process_alive(hanging):
    assert hanging.classify("玩")[1]["code"] == "deadline_exceeded"
    code, log = hanging.stop()
    assert code == 1
    assert "an inference is still running; leaving without it" in log


def test_port_in_use_names_the_port_and_the_remedy():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError) as caught:
            open_listener("127.0.0.1", port)
    assert str(caught.value) == (
        f"port {port} on 127.0.0.1 is already in use; stop the program that uses it, or pass "
        "--port with another number (0 takes a free one)"
    )


def test_address_of_another_machine_is_refused():
    with pytest.raises(UsageError) as caught:
        open_listener("192.0.2.1", 0)
    assert str(caught.value) == (
        "192.0.2.1 is not an address of this machine; pass --host 127.0.0.1"
    )


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
    ],
)
def test_announced_address_can_be_opened(host, url):
    first, second, _ = announcement(host, 80).splitlines()
    assert first == f"Listening on {host} port 80: {url}"
    assert second == f"Documentation: {url}/docs"
