"""LitServe with its dynamic batching, set as its documentation advises."""

from __future__ import annotations

import sys
from typing import Any

import litserve
from served_model import open_model

from models.classifier import Prediction, predict


class TitleAPI(litserve.LitAPI):  # type: ignore[misc]
    """One title list a request; lists of several requests are scored together."""

    def setup(self, device: str) -> None:
        self.model = open_model()

    def decode_request(self, request, **_):  # LitServe would read annotations as a schema
        return list(request["titles"])

    def predict(self, x: list[list[str]], **_: Any) -> list[list[Prediction]]:
        found = iter(predict(self.model, [title for titles in x for title in titles], top_k=3))
        return [[next(found) for _ in titles] for titles in x]

    def encode_response(self, output: list[Prediction], **_: Any) -> list[dict[str, Any]]:
        return [{"label": each.best.label, "score": each.best.score} for each in output]

    def batch(self, inputs: list[list[str]]) -> list[list[str]]:
        return inputs

    def unbatch(self, output: list[list[Prediction]]) -> list[list[Prediction]]:
        return output


if __name__ == "__main__":
    port, workers = int(sys.argv[1]), int(sys.argv[2])
    api = TitleAPI(max_batch_size=32, batch_timeout=0.002, api_path="/v1/classify")
    server = litserve.LitServer(
        api, accelerator="cpu", workers_per_device=workers, healthcheck_path="/ready"
    )
    server.run(port=port, log_level="warning", generate_client_file=False)
