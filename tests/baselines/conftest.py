"""Titles of three classes that a few words tell apart."""

from __future__ import annotations

import pytest

from models.labels import Labels
from titles import LabelledTitles

_TOPICS = ("股市收盘上涨", "球队主场比赛夺冠", "高考录取分数公布")
_DETAILS = (
    "今日", "专家解读", "最新消息", "（图）", "2024年", "本周回顾", "市民热议", "现场直播",
    "独家：", "北京", "上海", "记者观察", "“重磅”", "昨日", "名单", "ABC",
)  # fmt: skip


@pytest.fixture(scope="session")
def labels() -> Labels:
    return Labels.of(["stocks", "sports", "education"])


@pytest.fixture(scope="session")
def titles() -> list[str]:
    return [f"{detail} {topic}" for topic in _TOPICS for detail in _DETAILS]


@pytest.fixture(scope="session")
def label_ids() -> list[int]:
    return [label_id for label_id in range(len(_TOPICS)) for _ in _DETAILS]


@pytest.fixture(scope="session")
def examples(titles: list[str], label_ids: list[int], labels: Labels) -> LabelledTitles:
    return LabelledTitles.of(titles, label_ids, labels)


@pytest.fixture(scope="session")
def odd_titles() -> list[str]:
    """Titles like none that was trained on, and such as break careless readers of lines."""
    return [
        "",
        "   ",
        "鑫淼焱",
        "股市收盘\n上涨",
        "球队\r\n比赛\u2028夺冠\x00",
        "__label__2 股市收盘上涨",
        "</s> 高考录取",
        "half a pair \ud83d",
        "ＡＢＣ　１２３",
        "高" * 5000,
    ]
