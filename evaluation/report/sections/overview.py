"""All models at a glance: accuracy against what it costs, with the Pareto fronts."""

from __future__ import annotations

from evaluation.compare import Comparison, ModelResult
from evaluation.report.blocks import Block, Gallery, Paragraph, Picture, Table
from evaluation.report.pictures import Points, draw_front
from evaluation.report.section import Content, Section
from evaluation.report.words import interval, megabytes, percent

_NOTE = (
    "A model is Pareto-optimal in accuracy and a cost where no other is at least as accurate and "
    "at least as cheap, and better in one of the two. MB are 10⁶ bytes of the model's whole "
    "folder; p50 is the median time of one title on one thread, titles/s are those of large "
    "batches on all threads. In the pictures the Pareto front is blue; triangles at the lower edge "
    "are models far behind the best."
)


def write(comparison: Comparison) -> Content:
    blocks: list[Block] = [_table(comparison), Paragraph(_NOTE), Gallery(pictures(comparison))]
    return Content(blocks, {"fronts": _front_data(comparison), "models": _model_data(comparison)})


def _table(comparison: Comparison) -> Table:
    timed = comparison.speed_settings is not None
    header = ["model", "accuracy", "95 % interval", "MB", *(["p50 ms", "titles/s"] * timed)]
    rows = [
        [
            model.name if model.name.isascii() else f"{model.name} ({_picture_name(i, model)})",
            percent(model.accuracy),
            interval(model.metrics["interval_95"]["accuracy"]),
            megabytes(model.size_bytes),
            *_speed_cells(model),
            _fronts_of(comparison, i),
            model.candidate.manifest.route,
        ]
        for i, model in enumerate(comparison.models)
    ]
    header += ["Pareto-optimal in accuracy and", "route"]
    return Table(header, rows, text_columns=(0, len(header) - 2, len(header) - 1))


def _speed_cells(model: ModelResult) -> list[str]:
    if model.speed is None:
        return []
    return [f"{model.speed.p50_ms.median:.2f}", f"{model.speed.titles_per_s.median:,.0f}"]


def _fronts_of(comparison: Comparison, number: int) -> str:
    names = [name for name, front in comparison.fronts.items() if front[number]]
    return f"★ {', '.join(names)}" if names else ""


def pictures(comparison: Comparison) -> list[Picture]:
    """Accuracy against size and, where it was measured, against latency."""
    drawn = [_picture(comparison, "size", [m.size_bytes / 1e6 for m in comparison.models], "MB")]
    if "latency" in comparison.fronts:
        costs = [m.speed.p50_ms.median for m in comparison.models if m.speed is not None]
        drawn.append(_picture(comparison, "latency", costs, "p50 ms, one title, one thread"))
    return drawn


def _picture(comparison: Comparison, cost: str, costs: list[float], unit: str) -> Picture:
    models = comparison.models
    points = Points(
        names=[_picture_name(i, model) for i, model in enumerate(models)],
        costs=costs,
        accuracies=[m.accuracy for m in models],
        intervals=[m.metrics["interval_95"]["accuracy"] for m in models],
        on_front=comparison.fronts[cost],
    )
    front = [m.name for m, is_on_it in zip(models, points.on_front, strict=True) if is_on_it]
    description = f"Accuracy against {cost}; Pareto-optimal: {', '.join(front)}"
    axis = f"{cost} ({unit}), log scale"
    return Picture(f"accuracy_{cost}.svg", draw_front(points, axis), description)


def _picture_name(number: int, model: ModelResult) -> str:
    """A name that every machine has letters for; a font with Chinese may be missing."""
    return model.name if model.name.isascii() else f"model {number + 1}"


def _front_data(comparison: Comparison) -> dict[str, list[str]]:
    return {
        cost: [m.name for m, is_on_it in zip(comparison.models, front, strict=True) if is_on_it]
        for cost, front in comparison.fronts.items()
    }


def _model_data(comparison: Comparison) -> list[dict[str, object]]:
    return [
        {
            "name": model.name,
            "route": model.candidate.manifest.route,
            "accuracy": model.accuracy,
            "macro_f1": model.metrics["macro_f1"],
            "size_bytes": model.size_bytes,
            "p50_ms": None if model.speed is None else model.speed.p50_ms.median,
            "titles_per_s": None if model.speed is None else model.speed.titles_per_s.median,
        }
        for model in comparison.models
    ]


SECTION = Section("overview", "At a glance", write)
