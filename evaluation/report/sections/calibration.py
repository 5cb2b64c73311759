"""Whether a confidence of 90 % is right nine times in ten, and what it buys to trust only that."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.advice import advise
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Fold, Gallery, Paragraph, Picture, Table
from evaluation.report.confidence_pictures import draw_coverage, draw_reliability
from evaluation.report.section import Content, Section
from evaluation.report.words import percent
from scoring.coverage import CoverageCurve, coverage_curve
from scoring.metrics import CALIBRATION_BINS, ReliabilityBin, reliability_bins

_NOTE = (
    "The expected calibration error (ECE) is the mean distance between a model's confidence and "
    f"its accuracy, over {CALIBRATION_BINS} bins of confidence; 0 is perfect. Before: the scores "
    "as the model gives them; after: with its temperature, fitted on dev, as they are served. The "
    "Brier score is the squared distance of the scores from 1 for the right class and 0 for the "
    "others, from 0 to 2: it rewards a model that is right as well as one that knows when it is."
)
_HEADER = ("model", "temperature", "ECE before", "ECE after", "Brier before", "Brier after")
_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
"""Shares of the titles that are answered, the others being left to people."""


def write(comparison: Comparison) -> Content:
    chosen = advise(comparison).recommended
    bins = {model.name: _bins(comparison, model) for model in comparison.models}
    curve = coverage_curve(chosen.calibrated, comparison.data.gold)
    coverage = _coverage_rows(comparison, chosen, curve)
    blocks: list[Block] = [
        Paragraph(f"{chosen.name}: what its confidence is worth."),
        Gallery(_pictures(chosen, bins[chosen.name], curve)),
        Paragraph("If only so many titles are answered, those of most confidence:"),
        _coverage_table(comparison, coverage),
        Table(_HEADER, [_row(model) for model in comparison.ranked], marked=chosen.name),
        Paragraph(_NOTE),
        Fold(
            "Accuracy by confidence, of each model",
            [Fold(name, [_reliability_table(found)]) for name, found in bins.items()],
        ),
    ]
    data = {
        "coverage": {"model": chosen.name, "rows": coverage},
        "models": [_data(model, bins[model.name]) for model in comparison.models],
    }
    return Content(blocks, data)


def _bins(comparison: Comparison, model: ModelResult) -> list[ReliabilityBin]:
    return reliability_bins(model.calibrated, comparison.data.gold)


def _pictures(
    model: ModelResult, bins: list[ReliabilityBin], curve: CoverageCurve
) -> list[Picture]:
    return [
        Picture(
            "reliability.svg",
            draw_reliability(bins),
            f"Accuracy against confidence of {model.name}; on the dotted line they are the same",
        ),
        Picture(
            "coverage.svg",
            draw_coverage(curve.coverage, curve.accuracy),
            f"Accuracy of {model.name} against the share of the titles that is answered",
        ),
    ]


def _coverage_rows(
    comparison: Comparison, model: ModelResult, curve: CoverageCurve
) -> list[dict[str, float | None]]:
    data, confidence = comparison.data, model.calibrated.max(axis=1)
    outside = confidence[data.has_label & ~data.in_scope]
    found: list[dict[str, float | None]] = []
    for coverage in _COVERAGES:
        accuracy, threshold = curve.at(coverage)
        answered = float((outside >= threshold).mean()) if len(outside) else None
        row = {"coverage": coverage, "threshold": threshold, "accuracy": accuracy}
        found.append({**row, "outside_answered": answered})
    return found


def _coverage_table(comparison: Comparison, rows: list[dict[str, float | None]]) -> Table:
    has_outside = rows[0]["outside_answered"] is not None
    header = [
        "titles answered",
        "from confidence",
        "right",
        *["of no class, answered"] * has_outside,
    ]
    cells = [
        [
            f"{100 * (row['coverage'] or 0):.0f} %",
            f"{row['threshold']:.2f}",
            *(
                percent(row[key] or 0.0)
                for key in ("accuracy", "outside_answered")[: 1 + has_outside]
            ),
        ]
        for row in rows
    ]
    return Table(header, cells)


def _row(model: ModelResult) -> list[str]:
    keys = ("ece_before", "ece_after", "brier_before", "brier_after")
    shown = (f"{model.metrics[key]:.4f}" for key in keys)
    return [model.name, f"{model.metrics['temperature']:.3f}", *shown]


def _reliability_table(bins: list[ReliabilityBin]) -> Table:
    rows = [
        [
            f"{100 * row.low:.0f}–{100 * row.high:.0f} %",
            f"{row.titles:,}",
            percent(row.confidence),
            percent(row.accuracy),
        ]
        for row in bins
    ]
    return Table(["confidence", "titles", "mean confidence", "accuracy"], rows)


def _data(model: ModelResult, bins: list[ReliabilityBin]) -> dict[str, object]:
    keys = ("temperature", "ece_before", "ece_after", "brier_before", "brier_after")
    return {
        "name": model.name,
        **{key: model.metrics[key] for key in keys},
        "reliability": [asdict(row) for row in bins],
    }


SECTION = Section("calibration", "Confidence", write)
