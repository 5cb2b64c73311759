"""The titles that every model gets wrong with the most confidence."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evaluation.comparison import Comparison
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import gold, label, percent

SHOWN = 20


def write(comparison: Comparison) -> Content | None:
    labels, data = comparison.data.labels, comparison.data
    models = comparison.deployable
    wrong = np.all([data.in_scope & ~comparison.right(model) for model in models], axis=0)
    if not wrong.any():
        return None
    confidence = np.mean([model.calibrated.max(axis=1) for model in models], axis=0)
    places = np.flatnonzero(wrong)
    ranked = places[np.argsort(-confidence[places], kind="stable")][:SHOWN].tolist()
    found = [
        {
            "title": data.titles[i],
            "gold": [labels.names[place] for place in np.flatnonzero(data.may_be[i])],
            "predicted": {model.name: labels.names[model.predicted[i]] for model in models},
            "mean_confidence": float(confidence[i]),
        }
        for i in ranked
    ]
    rows = [
        [
            data.titles[i],
            gold(data, i),
            _predicted(comparison, i),
            percent(confidence[i]),
        ]
        for i in ranked
    ]
    note = (
        f"Every model errs on {int(wrong.sum()):,} of {int(data.in_scope.sum()):,} titles; the "
        f"{len(rows)} with the highest mean confidence are shown. Read them: of such "
        "titles the label itself is often open to dispute."
    )
    table = Table(["title", "label", "predicted", "mean confidence"], rows, text_columns=(0, 1, 2))
    blocks: list[Block] = [Paragraph(note), table]
    return Content(blocks, {"wrong_in_all": int(wrong.sum()), "examples": found})


def _predicted(comparison: Comparison, title: int) -> str:
    """The class that all models predict, or each with the number of models that do."""
    labels = comparison.data.labels
    votes = Counter(int(model.predicted[title]) for model in comparison.deployable)
    if len(votes) == 1:
        return label(labels, next(iter(votes)))
    return ", ".join(f"{label(labels, i)} ×{count}" for i, count in votes.most_common())


SECTION = Section("errors", "What all of them get wrong", write)
