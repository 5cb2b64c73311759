"""Clients that are slow, silent or many, before a real server."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from service.connections import most_connections

from .test_serve import Server, running

PROGRAM = """
import resource, sys
sys.path.insert(0, sys.argv[2])
import models.artifact, service.run
from conftest import KeywordRoute
from service.settings import read_settings
if sys.argv[3] == "h11":
    import service.connections, uvicorn.protocols.http.h11_impl as h11
    service.connections.AutoHTTPProtocol = h11.H11Protocol
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
models.artifact.find_route = lambda name: KeywordRoute
models.artifact.save(KeywordRoute(), models.artifact.Path(sys.argv[1]))
service.run.serve(read_settings(model=sys.argv[1], port=0, request_timeout_s=1))
"""


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """One that may open 256 descriptors and waits a second for a request."""
    folder = tmp_path_factory.mktemp("models") / "keywords"
    here = str(__file__).rsplit("/", 1)[0]
    with running(PROGRAM, str(folder), here, request.param) as server:
        yield server


@contextlib.contextmanager
def connected(server: Server, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(sent)
        yield connection


def rest(connection: socket.socket) -> bytes:
    """What comes until the connection is closed."""
    found = b""
    while more := connection.recv(65536):
        found += more
    return found


def test_a_connection_on_which_nothing_comes_is_closed_without_a_word(server: Server):
    with connected(server) as connection:
        started = time.monotonic()
        assert rest(connection) == b""
        assert 0.5 < time.monotonic() - started < 10


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /v1/classify HTTP/1.1\r\nhost: a\r\n",
        b"POST /v1/classify HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
        b'content-length: 100\r\n\r\n{"titles"',
    ],
    ids=["half a head", "half a body"],
)
def test_half_a_request_is_answered_408(server: Server, sent: bytes):
    with connected(server, sent) as connection:
        head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert json.loads(body)["code"] == "request_timeout"


def test_a_large_file_may_take_longer_if_enough_of_it_comes(server: Server):
    line, lines, parts = b"a title\n", 10_000, 8  # 10 kB each 0.3 s, and 16 KiB a second are asked
    head = (
        b"POST /v1/classify/file HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n"
        b"connection: close\r\ncontent-length: %d\r\n\r\n" % (len(line) * lines)
    )
    with connected(server, head) as connection:
        for _ in range(parts):
            connection.sendall(line * (lines // parts))
            time.sleep(0.3)
        head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body.count(b"a title\t") == lines


def test_a_client_that_goes_on_asking_is_not_cut_off(server: Server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    with contextlib.closing(connection):
        for _ in range(5):
            connection.request("GET", "/health")
            assert connection.getresponse().read() == b'{"status":"ok"}'
            time.sleep(0.4)


def test_others_are_served_beside_a_thousand_silent_connections(server: Server):
    with contextlib.ExitStack() as silent:
        for _ in range(1000):
            with contextlib.suppress(ConnectionError):
                silent.enter_context(connected(server))
        for title in "股球玩":
            status, answer = server.classify(title)
            assert (status, len(answer["results"])) == (200, 1)
    assert server.classify("股")[0] == 200


def test_the_refusal_of_a_large_body_can_be_read(server: Server):
    """By a client that reads no answer before it has sent all."""
    url = f"http://127.0.0.1:{server.port}/v1/classify"
    request = Request(url, b" " * 5_000_000, {"Content-Type": "application/json"})
    with pytest.raises(HTTPError) as caught:
        urlopen(request, timeout=20)
    assert caught.value.code == 413
    assert json.load(caught.value)["code"] == "body_too_large"


def test_descriptors_bound_the_connections(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("resource.getrlimit", lambda _: (256, 4096))
    assert most_connections(1000) == 128
    assert most_connections(100) == 100
    monkeypatch.setattr("resource.getrlimit", lambda _: (-1, -1))
    assert most_connections(1000) == 1000


def test_the_containers_health_check_asks_without_a_proxy(server: Server):
    text = (Path(__file__).parents[2] / "Dockerfile").read_text("utf-8")
    *command, program = json.loads(re.search(r"HEALTHCHECK .*?CMD (\[.*?\])\n", text, re.S)[1])
    program = program.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    environment = os.environ | {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}
    python = [sys.executable, *command[1:]]
    subprocess.run([*python, program], env=environment, check=True, timeout=60)
    gone = program.replace(str(server.port), "9")
    assert subprocess.run([*python, gone], capture_output=True, timeout=60).returncode != 0
