"""BentoML with adaptive batching, set as its documentation advises."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import bentoml
from served_model import open_model

from models.classifier import predict


@bentoml.service(traffic={"timeout": 30}, workers=2)
class Titles:
    """Scores titles; those of several requests together."""

    def __init__(self) -> None:
        self.model = open_model()

    @bentoml.api(batchable=True, max_batch_size=256, max_latency_ms=200, route="/v1/classify")
    def classify(self, titles: list[str]) -> list[dict[str, Any]]:
        return [
            {"label": each.best.label, "score": each.best.score}
            for each in predict(self.model, titles, top_k=3)
        ]


if __name__ == "__main__":
    serve = [sys.executable, "-m", "bentoml", "serve", "bentoml_server:Titles"]
    sys.exit(subprocess.run([*serve, "--port", sys.argv[1]], check=False).returncode)
