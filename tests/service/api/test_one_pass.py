"""A served title is cut into tokens once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient

from models.artifact import DEFAULT_FOLDER, load
from models.tokenization import TitleTokenizer
from service.app import create_app
from service.settings import Settings

TITLE = "国足客场一球小胜 小组赛取得开门红"


def test_a_served_title_is_tokenised_once(monkeypatch: pytest.MonkeyPatch):
    read: list[str] = []
    encode = TitleTokenizer._encode

    def counting(self: TitleTokenizer, titles: Sequence[str]) -> list[list[int]]:
        read.extend(titles)
        return encode(self, titles)

    with load(DEFAULT_FOLDER) as model, TestClient(create_app(Settings(), model)) as client:
        monkeypatch.setattr(TitleTokenizer, "_encode", counting)
        answer = client.post("/v1/classify", json={"titles": [TITLE]}).json()

    assert answer["results"][0]["label"] == "sports"
    assert read == [TITLE]
