"""Titles whose scores are stored with a model and replayed when it is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from models.errors import ArtifactError, ProbeMismatch
from models.manifest import Manifest
from models.route import Route

PROBE_TITLES = (
    "央行开展千亿元逆回购 资金面保持平稳",
    "城东地铁盘加推小户型 均价每平米两万八起",
    "午评：沪指震荡收涨0.4% 半导体板块领涨",
    "今年研究生考试报名人数公布 英语真题解析上线",
    "新款折叠屏手机曝光 搭载自研芯片",
    "男子雨夜落水 民警跳河救人(图)",
    "外交部发言人就双边会谈答记者问",
    "主场2-1逆转对手 球队豪取三连胜",
    "《远征OL》今日公测 新职业技能抢先看",
    "贺岁片定档除夕 主演亮相红毯",
    "Apple Q3 revenue up 8%, iPhone sales beat estimates",
    "“２０２４”年终盘点：这些事　你还记得吗？！",
)


def answer(model: Route, titles: Sequence[str] = PROBE_TITLES) -> list[dict[str, Any]]:
    """Each title with the scores that the model gives it.

    Raises:
        ArtifactError: a score is NaN or infinite.
    """
    scores = model.predict_proba(titles)
    if not np.isfinite(scores).all():
        raise ArtifactError("the model scores the probe titles with NaN or infinity; not saved")
    return [
        {"title": title, "scores": [round(float(score), 7) for score in row]}
        for title, row in zip(titles, scores, strict=True)
    ]


def replay(manifest: Manifest, model: Route) -> None:
    """Score the manifest's probes again.

    Raises:
        ProbeMismatch: a score differs by more than the route's `probe_tolerance`.
    """
    titles = [probe["title"] for probe in manifest.probes]
    expected = np.array([probe["scores"] for probe in manifest.probes], dtype=np.float32)
    difference = np.abs(model.predict_proba(titles) - expected).max(axis=1)
    worst = int(difference.argmax())
    if not difference[worst] <= model.probe_tolerance:
        raise ProbeMismatch(
            f"model '{manifest.name}' answers otherwise on this machine: a score of "
            f"“{titles[worst]}” differs by {difference[worst]:.4f} from the saved one (at most "
            f"{model.probe_tolerance} is allowed); convert the model again on this kind of machine"
        )
