"""Scores by class, and what is taken for what."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluation.advice import advise
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Fold, Paragraph, Table
from evaluation.report.confusions import commonest
from evaluation.report.section import Content, Section
from evaluation.report.words import label, percent, share
from models.labels import Labels

_NOTE = (
    "Titles of each class (rows) by the class answered (columns). The redder, the larger the share "
    "of the class's titles that is taken for that other class."
)


def write(comparison: Comparison) -> Content:
    labels, chosen = comparison.data.labels, advise(comparison).recommended
    blocks: list[Block] = [
        Paragraph("F1 of each class by each model" + _of_one_class(comparison)),
        _f1_table(comparison, chosen),
        Paragraph(_NOTE, lead=f"{chosen.name}, errors:"),
        _confusion_table(chosen, labels),
        *commonest(comparison, chosen),
        Fold(f"{chosen.name}: precision and recall", [_class_table(chosen, labels)]),
    ]
    others = [
        Fold(model.name, [_class_table(model, labels), _confusion_table(model, labels)])
        for model in comparison.ranked
        if model is not chosen
    ]
    if others:
        blocks.append(Fold("The other models: precision, recall, errors", others))
    data = [
        {
            "name": model.name,
            "per_class": model.metrics["per_class"],
            "confusion_matrix": model.metrics["confusion_matrix"],
        }
        for model in comparison.models
    ]
    return Content(blocks, data)


def _of_one_class(comparison: Comparison) -> str:
    if comparison.data.newsroom_labels is None:
        return "."
    known = int((comparison.data.label_ids >= 0).sum())
    return f"; of the {known:,} titles whose label means exactly one class."


def _f1_table(comparison: Comparison, chosen: ModelResult) -> Table:
    labels = comparison.data.labels
    rows = [
        [
            model.name,
            *(_known(row, "f1") for row in model.metrics["per_class"]),
            percent(model.metrics["macro_f1"]),
        ]
        for model in comparison.ranked
    ]
    names = [label(labels, i) for i in range(len(labels))]
    return Table(["model", *names, "macro-F1"], rows, marked=chosen.name)


def _class_table(model: ModelResult, labels: Labels) -> Table:
    rows = [
        [
            label(labels, i),
            *(_known(row, key) for key in ("precision", "recall", "f1")),
            f"{row['support']:,}",
        ]
        for i, row in enumerate(model.metrics["per_class"])
    ]
    return Table(["class", "precision", "recall", "F1", "titles"], rows)


def _known(row: dict[str, Any], key: str) -> str:
    """A score of a class; a dot where it has no titles to tell it by."""
    return share(row[key] if row["support"] else None)


def _confusion_table(model: ModelResult, labels: Labels) -> Table:
    counts = np.array(model.metrics["confusion_matrix"])
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    np.fill_diagonal(shares, 0)  # what is right stays neutral
    shares = shares / (shares.max() or 1)
    rows = [
        [label(labels, i), *(f"{count:,}" if count else "·" for count in row)]
        for i, row in enumerate(counts.tolist())
    ]
    shades = [[0.0, *row] for row in shares.tolist()]
    names = [label(labels, i) for i in range(len(labels))]
    return Table(["class, answered as", *names], rows, shades=shades)


SECTION = Section("classes", "By class", write)
