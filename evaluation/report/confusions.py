"""The commonest confusions of a model, each with titles that show it."""

from __future__ import annotations

import numpy as np

from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Bullets, Paragraph
from evaluation.report.words import label, percent

SHOWN = 8
EXAMPLES = 3


def commonest(comparison: Comparison, model: ModelResult) -> list[Block]:
    """Which class is taken for which, the most frequent first; nothing where there is no error."""
    data, counts = comparison.data, np.array(model.metrics["confusion_matrix"])
    totals = counts.sum(axis=1)
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:SHOWN]
    items = []
    for gold, answered in zip(*np.unravel_index(order, counts.shape), strict=True):
        count = int(counts[gold, answered])
        if count:
            names = f"{label(data.labels, gold)} → {label(data.labels, answered)}"
            told = f"{names}: {count:,} titles, {percent(count / totals[gold])} of its class:"
            items.append((told, _examples(comparison, model, gold, answered)))
    if not items:
        return []
    lead = f"Its commonest confusions, with the {EXAMPLES} titles of which it is surest:"
    return [Paragraph("", lead=lead), Bullets(items)]


def _examples(comparison: Comparison, model: ModelResult, gold: int, answered: int) -> str:
    data, confidence = comparison.data, model.calibrated.max(axis=1)
    places = np.flatnonzero((data.label_ids == gold) & (model.predicted == answered))
    surest = places[np.argsort(-confidence[places], kind="stable")][:EXAMPLES].tolist()
    return " ".join(f"「{data.titles[i]}」 {confidence[i]:.2f}" for i in surest)
