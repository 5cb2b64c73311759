"""Which differences between two models are more than chance."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.compare import Comparison
from evaluation.report.blocks import Block, Fold, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import p_value
from evaluation.significance import EXACT_BELOW, LEVEL, PairTest

_HEADER = ("differ", "p", "p (Holm)", "test")


def write(comparison: Comparison) -> Content | None:
    if not comparison.pairs:
        return None
    blocks: list[Block] = [Paragraph(_note(comparison)), _against_best(comparison)]
    if len(comparison.pairs) > 1:
        blocks.append(Fold(f"All {len(comparison.pairs)} pairs", [_all_pairs(comparison)]))
    data = [asdict(pair) | {"differ": pair.differ} for pair in comparison.pairs]
    return Content(blocks, data)


def _against_best(comparison: Comparison) -> Table:
    best = comparison.best
    header = ["model", "only it is right", f"only {best.name} is right", *_HEADER]
    rows = []
    for model in comparison.deployable:
        if model is not best:
            pair = comparison.pair(best, model)
            counts = [pair.only_first, pair.only_second]
            alone, best_alone = counts if pair.first == model.name else reversed(counts)
            rows.append([model.name, f"{alone:,}", f"{best_alone:,}", *_cells(pair)])
    return Table(header, rows, text_columns=(0, 3, 6))


def _all_pairs(comparison: Comparison) -> Table:
    header = ["first", "second", "only first is right", "only second is right", *_HEADER]
    rows = [
        [pair.first, pair.second, f"{pair.only_first:,}", f"{pair.only_second:,}", *_cells(pair)]
        for pair in comparison.pairs
    ]
    return Table(header, rows, text_columns=(0, 1, 4, 7))


def _cells(pair: PairTest) -> list[str]:
    differ = "yes" if pair.differ else "not shown"
    return [differ, p_value(pair.p_value), p_value(pair.p_holm), pair.method]


def _note(comparison: Comparison) -> str:
    return (
        "McNemar's test looks at the titles on which just one of two models is right: between "
        "equally good models they split evenly. It is exact (binomial) below "
        f"{EXACT_BELOW} such titles, else chi-square with continuity correction. Two models "
        f"differ where p stays below {LEVEL} after Holm's correction for the number of pairs, "
        f"here {len(comparison.pairs)}."
    )


SECTION = Section("significance", "Which differences are more than chance", write)
