"""Scores by class, and what is taken for what."""

from __future__ import annotations

import numpy as np

from evaluation.compare import Comparison, ModelResult
from evaluation.report.blocks import Block, Fold, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import label, percent
from models.labels import Labels


def write(comparison: Comparison) -> Content:
    blocks: list[Block] = [Paragraph("F1 of each class by each model."), _f1_table(comparison)]
    blocks += [
        Fold(
            f"{model.name}: precision, recall, confusion matrix",
            [
                _class_table(model, comparison.data.labels),
                Paragraph("Titles of each class (rows) by the class predicted (columns):"),
                _confusion_table(model, comparison.data.labels),
            ],
        )
        for model in comparison.models
    ]
    data = [
        {
            "name": model.name,
            "per_class": model.metrics["per_class"],
            "confusion_matrix": model.metrics["confusion_matrix"],
        }
        for model in comparison.models
    ]
    return Content(blocks, data)


def _f1_table(comparison: Comparison) -> Table:
    labels = comparison.data.labels
    support = [row["support"] for row in comparison.models[0].metrics["per_class"]]
    rows = [
        [
            label(labels, i),
            f"{support[i]:,}",
            *(percent(model.metrics["per_class"][i]["f1"]) for model in comparison.models),
        ]
        for i in range(len(labels))
    ]
    return Table(["class", "titles", *(model.name for model in comparison.models)], rows)


def _class_table(model: ModelResult, labels: Labels) -> Table:
    rows = [
        [
            label(labels, i),
            percent(row["precision"]),
            percent(row["recall"]),
            percent(row["f1"]),
            f"{row['support']:,}",
        ]
        for i, row in enumerate(model.metrics["per_class"])
    ]
    return Table(["class", "precision", "recall", "F1", "titles"], rows)


def _confusion_table(model: ModelResult, labels: Labels) -> Table:
    counts = np.array(model.metrics["confusion_matrix"])
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    rows = [
        [label(labels, i), *(f"{count:,}" if count else "·" for count in row)]
        for i, row in enumerate(counts.tolist())
    ]
    shades = [[0.0, *row] for row in shares.tolist()]
    return Table(["class, predicted as", *labels.display_names], rows, shades=shades)


SECTION = Section("classes", "By class", write)
