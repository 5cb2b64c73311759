"""Whether a confidence of 90 % is right nine times in ten."""

from __future__ import annotations

from dataclasses import asdict

from evaluation.compare import Comparison, ModelResult
from evaluation.report.blocks import Block, Fold, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import percent
from scoring.metrics import CALIBRATION_BINS, ReliabilityBin, reliability_bins

_NOTE = (
    "The expected calibration error (ECE) is the mean distance between a model's confidence and "
    f"its accuracy, over {CALIBRATION_BINS} bins of confidence; 0 is perfect. Before: the scores "
    "as the model gives them; after: with its temperature, fitted on dev, as they are served. The "
    "Brier score is the squared distance of the scores from 1 for the right class and 0 for the "
    "others, from 0 to 2: it rewards a model that is right as well as one that knows when it is."
)

_HEADER = ("model", "temperature", "ECE before", "ECE after", "Brier before", "Brier after")


def write(comparison: Comparison) -> Content:
    rows = [
        [
            model.name,
            f"{model.metrics['temperature']:.3f}",
            f"{model.metrics['ece_before']:.4f}",
            f"{model.metrics['ece_after']:.4f}",
            f"{model.metrics['brier_before']:.4f}",
            f"{model.metrics['brier_after']:.4f}",
        ]
        for model in comparison.models
    ]
    table = Table(_HEADER, rows)
    bins = [reliability_bins(m.calibrated, comparison.data.label_ids) for m in comparison.models]
    blocks: list[Block] = [table, Paragraph(_NOTE)]
    blocks += [
        Fold(f"{model.name}: accuracy by confidence", [_reliability_table(found)])
        for model, found in zip(comparison.models, bins, strict=True)
    ]
    data = [_data(*pair) for pair in zip(comparison.models, bins, strict=True)]
    return Content(blocks, data)


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


SECTION = Section("calibration", "Calibration", write)
