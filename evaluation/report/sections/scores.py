"""Accuracy and macro-F1 with their intervals, with and without titles that leak."""

from __future__ import annotations

from evaluation.compare import Comparison
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import interval, percent
from scoring.metrics import RESAMPLES

_KEYS = ("accuracy", "macro_f1", "interval_95", "without_leaks")


def write(comparison: Comparison) -> Content:
    leaks = comparison.leaks
    has_second_score = leaks is not None and not leaks.all()
    header = ["model", "accuracy", "95 % interval", "macro-F1", "95 % interval"]
    rows = []
    for model in comparison.models:
        found = model.metrics
        row = [
            model.name,
            percent(found["accuracy"]),
            interval(found["interval_95"]["accuracy"]),
            percent(found["macro_f1"]),
            interval(found["interval_95"]["macro_f1"]),
        ]
        if has_second_score:
            clean = found["without_leaks"]
            row += [percent(clean["accuracy"]), percent(clean["macro_f1"])]
        rows.append(row)
    if has_second_score:
        header += ["accuracy without leaks", "macro-F1 without leaks"]
    blocks: list[Block] = [Table(header, rows), Paragraph(_note(comparison))]
    data = [
        {"name": m.name} | {key: m.metrics[key] for key in _KEYS if key in m.metrics}
        for m in comparison.models
    ]
    leaked_titles = None if leaks is None else int(leaks.sum())
    return Content(blocks, {"leaked_titles": leaked_titles, "models": data})


def _note(comparison: Comparison) -> str:
    intervals = (
        f"Intervals: {RESAMPLES:,} bootstrap samples of the titles. Two that overlap do not say "
        "that two models are alike: the paired tests below do."
    )
    leaks = comparison.leaks
    if leaks is None:
        return f"{intervals} No training data was given, so titles that leak from it are counted."
    return (
        f"{intervals} Of {len(leaks):,} titles {int(leaks.sum()):,} occur in the training data, "
        "exactly or but for width, case, spaces and punctuation."
    )


SECTION = Section("scores", "Accuracy and macro-F1", write)
