"""What the models are worth in each newsroom."""

from __future__ import annotations

from typing import Any

from evaluation.advice import advise
from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import percent, share

_NOTE = (
    "A newsroom's macro recall is the mean recall of its labels that mean some class. ECE is of "
    "the titles in scope. AUROC is the chance that a title in scope has more confidence than one "
    "of no class, 50 % is a coin's; the last column is the share of the titles of no class that "
    "are answered with 0.9 or more."
)
_HEADER = (
    "newsroom", "titles", "macro recall", "right", "ECE", "of no class", "AUROC", "sure of these",
)  # fmt: skip


def write(comparison: Comparison) -> Content | None:
    if comparison.data.newsroom_labels is None:
        return None
    chosen = advise(comparison).recommended
    names = list(dict.fromkeys(name for model in comparison.models for name in model.newsrooms))
    rows = [
        [model.name, *(percent(model.newsrooms[name]) for name in names), percent(model.score)]
        for model in comparison.ranked
    ]
    blocks: list[Block] = [
        Paragraph("Macro recall of every model in every newsroom, and the mean."),
        Table(["model", *names, "mean"], rows, marked=chosen.name),
        Paragraph(f"{chosen.name} in every newsroom:"),
        Table(_HEADER, [_row(found) for found in chosen.metrics["newsrooms"]]),
        Paragraph(_NOTE),
    ]
    data = [
        {"name": model.name, "mean": model.score, "newsrooms": model.metrics["newsrooms"]}
        for model in comparison.models
    ]
    return Content(blocks, data)


def _row(found: dict[str, Any]) -> list[str]:
    in_scope = (found[key] for key in ("macro_recall", "accuracy", "calibration_error"))
    outside = (found[key] for key in ("outside_auroc", "outside_sure"))
    return [
        found["newsroom"],
        f"{found['titles']:,}",
        *map(share, in_scope),
        f"{found['outside']:,}",
        *map(share, outside),
    ]


SECTION = Section("newsrooms", "By newsroom", write)
