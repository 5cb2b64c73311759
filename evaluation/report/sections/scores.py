"""The scores with their intervals, with and without titles that leak."""

from __future__ import annotations

from evaluation.advice import advise
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import interval, percent, share
from scoring.metrics import RESAMPLES

_KEYS = ("accuracy", "macro_f1", "interval_95", "without_leaks")


def write(comparison: Comparison) -> Content:
    leaks = comparison.leaks
    has_second_score = leaks is not None and not leaks.all()
    header = [comparison.metric, "95 % interval", "macro-F1", "95 % interval"]
    if comparison.data.newsroom_labels is not None:
        header.insert(2, "right")
    if has_second_score:
        header += ["right without leaks", "macro-F1 without leaks"]
    rows = [
        [model.name, *_cells(comparison, model, has_second_score)] for model in comparison.ranked
    ]
    table = Table(["model", *header], rows, marked=advise(comparison).recommended.name)
    blocks: list[Block] = [table, Paragraph(_note(comparison))]
    data = [
        {"name": m.name, "score": m.score}
        | {key: m.metrics[key] for key in _KEYS if key in m.metrics}
        for m in comparison.models
    ]
    leaked_titles = None if leaks is None else int(leaks.sum())
    return Content(blocks, {"leaked_titles": leaked_titles, "models": data})


def _cells(comparison: Comparison, model: ModelResult, has_second_score: bool) -> list[str]:
    found = model.metrics
    cells = [percent(model.score), interval(model.interval)]
    if comparison.data.newsroom_labels is not None:
        cells.append(percent(found["accuracy"]))
    cells += [percent(found["macro_f1"]), interval(found["interval_95"]["macro_f1"])]
    clean = found.get("without_leaks", {})
    second = [clean.get("accuracy"), clean.get("macro_f1")] if has_second_score else []
    return [*cells, *map(share, second)]


def _note(comparison: Comparison) -> str:
    intervals = (
        f"Intervals: {RESAMPLES:,} bootstrap samples of the titles. Two that overlap do not say "
        "that two models are alike: the paired tests do."
    )
    if comparison.data.newsroom_labels is not None:
        intervals += (
            " Macro-F1 is of the titles whose label means exactly one class, 'right' of all titles "
            "of some class."
        )
    leaks = comparison.leaks
    if leaks is None:
        return f"{intervals} No training data was given, so titles that leak from it are counted."
    return (
        f"{intervals} Of {len(leaks):,} titles {int(leaks.sum()):,} occur in the training data, "
        "exactly or but for width, case, spaces and punctuation."
    )


SECTION = Section("scores", "Scores", write)
