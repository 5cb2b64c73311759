"""The way of a request through all that the compose profile `full` starts, run as processes.

The configurations are those of `deploy/`, with the addresses of containers replaced by ports.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from service.feedback.keeping import Correction
from service.feedback.store import FeedbackStore
from tests.programs import needed

from .conftest import until
from .test_serve import Server, running

pytestmark = pytest.mark.slow

DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAM = """
import sys
from service.run import serve
from service.settings import read_settings
serve(read_settings(port=0, feedback=sys.argv[1]))
"""
SPORT = "国足客场一球小胜 小组赛取得开门红"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A database of its own; it does not run as root, so it is nobody's."""
    data, port = folder / "data", free_port()
    data.mkdir(mode=0o700)
    options: dict[str, Any] = {"cwd": "/"}
    if os.getuid() == 0:
        for parent in (folder, *folder.parents[:3]):
            parent.chmod(0o755)
        shutil.chown(data, "nobody")
        options["user"] = "nobody"
    initdb = [needed("initdb"), "--pgdata", str(data), "--username", "biaoti", "--auth", "trust"]
    subprocess.run(
        [*initdb, "--encoding", "UTF8", "--no-sync"], check=True, capture_output=True, **options
    )
    command = [needed("postgres"), "-D", str(data), "-p", str(port), "-k", str(data)]
    with started([*command, "-c", "fsync=off", "-c", "timezone=Asia/Shanghai"], **options):
        assert until(lambda: _is_open(port))
        yield f"postgresql+psycopg://biaoti@127.0.0.1:{port}/postgres"


def _is_open(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def nginx(folder: Path, ports: list[int]) -> Iterator[int]:
    port, text = free_port(), (DEPLOY / "nginx.conf").read_text("utf-8")
    (server,) = re.findall(r"server replica:8000 (.*);", text)
    servers = "\n".join(f"server 127.0.0.1:{each} {server};" for each in ports)
    text = text.replace(f"server replica:8000 {server};", servers)
    text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};").replace("/tmp/", f"{folder}/")
    (folder / "nginx.conf").write_text(text, "utf-8")
    command = [needed("nginx"), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    user = "user root; " if os.getuid() == 0 else ""
    with started([*command, "-g", f"daemon off; {user}"]):
        assert until(lambda: _is_open(port))
        yield port


@contextmanager
def prometheus(folder: Path, ports: list[int]) -> Iterator[int]:
    port, text = free_port(), (DEPLOY / "prometheus.yml").read_text("utf-8")
    (asked,) = re.findall(r"    dns_sd_configs:\n(?:      .*\n)+", text)
    targets = ", ".join(f'"127.0.0.1:{each}"' for each in ports)
    text = text.replace(asked, f"    static_configs:\n      - targets: [{targets}]\n")
    (folder / "prometheus.yml").write_text(text.replace("15s", "1s"), "utf-8")
    shutil.copy(DEPLOY / "alerts.yml", folder)
    command = [needed("prometheus"), f"--config.file={folder / 'prometheus.yml'}"]
    command += [f"--storage.tsdb.path={folder / 'tsdb'}", f"--web.listen-address=127.0.0.1:{port}"]
    with started(command):
        assert until(lambda: _is_open(port))
        yield port


@dataclass
class Full:
    """All that runs."""

    replicas: list[Server]
    database: str
    nginx: int
    prometheus: int

    def ask(
        self, path: str, body: object = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of what comes through nginx."""
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {"content-type": "application/json"} | headers
        asked = Request(f"http://127.0.0.1:{self.nginx}{path}", content, headers)
        try:
            with urlopen(asked, timeout=30) as answer:
                return answer.status, answer.read().decode(), dict(answer.headers)
        except HTTPError as error:
            return error.code, error.read().decode(), dict(error.headers)

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What Prometheus says of an expression."""
        query = urlencode({"query": expression})
        url = f"http://127.0.0.1:{self.prometheus}/api/v1/query?{query}"
        with urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]["result"]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Full]:
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp(name) for name in ("postgres", "nginx", "prometheus")]
        database = stack.enter_context(postgresql(folders[0]))
        both = [running(PROGRAM, database) for _ in range(2)]
        with ThreadPoolExecutor() as pool:  # at once, as containers start
            replicas = list(pool.map(lambda each: each.__enter__(), both))
        for each in both:
            stack.push(each)
        ports = [replica.port for replica in replicas]
        yield Full(
            replicas, database,
            stack.enter_context(nginx(folders[1], ports)),
            stack.enter_context(prometheus(folders[2], ports)),
        )  # fmt: skip


def test_titles_are_classified_by_both_replicas(full: Full):
    for _ in range(20):
        status, text, headers = full.ask(
            "/v1/classify", {"titles": [SPORT]}, **{"x-request-id": "a-1"}
        )
        assert (status, json.loads(text)["results"][0]["label"]) == (200, "sports")
        assert headers["x-request-id"] == "a-1"
    assert until(lambda: len(full.query("biaoti_requests_total{endpoint='/v1/classify'} > 0")) == 2)


def test_a_large_file_passes_and_a_large_request_does_not(full: Full):
    content = ("title,note\n" + f"{SPORT},{'x' * 3000}\n" * 1000).encode()
    status, text, _ = full.ask("/v1/classify/file", content, **{"content-type": "text/csv"})
    assert status == 200
    assert text.count(",sports,") == 1000
    assert full.ask("/v1/classify", content)[0] == 413


def test_a_correction_is_kept_in_postgresql(full: Full):
    answer = {"label": "game", "score": 0.5, "name": "m", "version": "v"}
    sent = {"title": f"\0{SPORT}", "label": "sports", "answer": answer, "id": "one"}
    assert [full.ask("/v1/feedback", sent)[0] for _ in range(4)] == [201, 200, 200, 200]
    store = FeedbackStore(full.database)
    ((received, kept),) = list(store)
    store.close()
    assert kept == Correction("one", SPORT, "sports", "game", 0.5, "m", "v")
    assert abs(received.timestamp() - time.time()) < 60


def test_what_is_for_operators_is_kept_from_others(full: Full):
    assert full.ask("/metrics")[0] == 404
    assert full.ask("/v1/models/default/reload", b"")[0] == 404
    assert full.ask("/v1/models")[0] == 200


def test_the_dashboard_asks_what_prometheus_can_answer(full: Full):
    dashboard = json.loads((DEPLOY / "grafana" / "dashboards" / "biaoti.json").read_text("utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(asked) >= 15
    full.ask("/v1/classify", {"titles": [SPORT, "？？？"]})
    for expression in asked:
        expression = expression.replace("$__rate_interval", "30s")
        may_be_empty = "refused" in expression or "drift" in expression
        assert may_be_empty or until(lambda e=expression: full.query(e), 20), expression
    assert [each["value"][1] for each in full.query('sum(up{job="biaoti"})')] == ["2"]


def test_the_alerts_are_known_to_prometheus_and_right(full: Full):
    promtool = [needed("promtool"), "check"]
    subprocess.run([*promtool, "rules", DEPLOY / "alerts.yml"], check=True, capture_output=True)
    subprocess.run(
        [*promtool, "config", DEPLOY / "prometheus.yml"], check=True, capture_output=True
    )
    with urlopen(f"http://127.0.0.1:{full.prometheus}/api/v1/rules", timeout=30) as answer:
        (group,) = json.load(answer)["data"]["groups"]
    states = {rule["name"]: rule["state"] for rule in group["rules"]}
    assert states["NoReplica"] == states["ServerErrors"] == "inactive"
    assert {rule["health"] for rule in group["rules"]} <= {"ok", "unknown"}


def test_a_replica_that_ends_costs_no_request(full: Full):
    def ask(_: int) -> int:
        return full.ask("/v1/classify", {"titles": [SPORT]})[0]

    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(ask, range(200))
        code, log = full.replicas[1].stop()
        assert list(answers) == [200] * 200
    assert code == 0, log
    assert until(lambda: full.query('sum(up{job="biaoti"})')[0]["value"][1] == "1")
