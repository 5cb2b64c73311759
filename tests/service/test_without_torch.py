"""The service starts and answers where torch and its kin are not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys

HEAVY = {"torch", "transformers", "datasets", "sklearn", "skops", "fasttext", "jieba"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in HEAVY:
            raise ImportError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])

import models.artifact
from service.app import create_app
from service.settings import Settings
from conftest import KeywordRoute
from starlette.testclient import TestClient

models.artifact.find_route = lambda name: KeywordRoute
models.artifact.save(KeywordRoute(), models.artifact.Path(sys.argv[2]))
with TestClient(create_app(Settings(model=sys.argv[2]))) as client:
    print(client.post("/v1/classify", json={"titles": ["股"]}).json()["results"][0]["label"])
print(sorted(HEAVY & set(sys.modules)))
"""


def test_service_starts_and_answers_without_torch(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(tmp_path / "keywords")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stdout.splitlines() == ["stocks", "[]"], run.stderr
    assert run.returncode == 0
