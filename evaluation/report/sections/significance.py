"""Which differences between two models are more than chance."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import p_value, percent
from evaluation.significance import EXACT_BELOW, LEVEL


def write(comparison: Comparison) -> Content | None:
    if not comparison.pairs:
        return None
    best = next(model for model in comparison.ranked if model.name in comparison.letters)
    header = ["model", comparison.metric, "alike", f"only {best.name} is right", "only it is right"]
    header += ["p", "p (Holm)", "test"]
    rows = [
        _row(comparison, best, model)
        for model in comparison.ranked
        if model.name in comparison.letters
    ]
    table = Table(header, rows, text_columns=(0, 2, 7), marked=advise(comparison).recommended.name)
    blocks: list[Block] = [Paragraph(_note(comparison)), table]
    pairs = [asdict(pair) | {"differ": pair.differ} for pair in comparison.pairs]
    return Content(blocks, {"letters": comparison.letters, "pairs": pairs})


def _row(comparison: Comparison, best: ModelResult, model: ModelResult) -> list[str]:
    row = [model.name, percent(model.score), comparison.letters[model.name]]
    if model is best:
        return [*row, "", "", "", "", ""]
    pair = comparison.pair(best, model)
    counts = [pair.only_first, pair.only_second]
    best_alone, alone = counts if pair.first == best.name else reversed(counts)
    tests = [p_value(pair.p_value), p_value(pair.p_holm), pair.method]
    return [*row, f"{best_alone:,}", f"{alone:,}", *tests]


def _note(comparison: Comparison) -> str:
    told = (
        f"Two models share a letter unless they differ: p stays below {LEVEL} after Holm's "
        f"correction for {len(comparison.pairs)} pairs. p is of each model and the first. "
    )
    if comparison.data.newsroom_labels is not None:
        return told + (
            "Between equally good models, the titles on which just one is right speak for either "
            "as often. Here each counts as in the mean macro recall, as much as its newsroom and "
            "label have few titles; where few titles decide, signs are drawn instead of a normal "
            "distribution."
        )
    return told + (
        "McNemar's test looks at the titles on which just one of two models is right: between "
        "equally good models they split evenly. It is exact (binomial) below "
        f"{EXACT_BELOW} such titles, else chi-square with continuity correction."
    )


SECTION = Section("significance", "Which differences are more than chance", write)
