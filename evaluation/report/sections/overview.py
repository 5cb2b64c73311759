"""All models in groups, the best of each first, and what they cost."""

from __future__ import annotations

from evaluation.advice import advise
from evaluation.comparison import FLOOR, Comparison, ModelResult
from evaluation.groups import GROUPS, REMOTE
from evaluation.report.blocks import Block, Gallery, Paragraph, Picture, Table
from evaluation.report.front_picture import Axis, Points, draw_front
from evaluation.report.section import Content, Section
from evaluation.report.words import interval, listing, megabytes, percent

_NOTE = (
    "Models that share a letter cannot be told apart on these titles. ★ marks the costs in which a "
    "model is Pareto-optimal: no other is at least as good and at least as cheap, and better in "
    f"one of the two; models more than {100 * FLOOR:.0f} points behind the best are on no front, "
    "however little they cost. MB are 10⁶ bytes of the model's whole folder; p50 is the median "
    "time of one title on one thread, titles/s are those of large batches on all threads, from "
    "which the core-hours of a million titles follow. A model whose name begins with no- or "
    "without- is an ablation: a twin that shows what something is worth. A model behind an "
    "endpoint has neither size nor speed of its own, and costs what its endpoint charged so far."
)
_COSTS = {
    "latency": "p50 of one title on one thread (ms), log scale",
    "size": "size (MB), log scale",
    "throughput": "titles a second in batches, log scale",
}


def write(comparison: Comparison) -> Content:
    blocks: list[Block] = [_table(comparison), Paragraph(_NOTE), Gallery(pictures(comparison))]
    if apart := [model for model in comparison.ranked if _is_out_of_view(comparison, model)]:
        named = [f"{_shown(comparison, model)} {percent(model.score)}" for model in apart]
        kinds = "references, ablations, models far behind, and those behind an endpoint"
        text = f"{kinds}: {listing(named)}."
        blocks.append(Paragraph(text, lead="Not in the pictures:"))
    return Content(blocks, {"fronts": _front_data(comparison), "models": _model_data(comparison)})


def _table(comparison: Comparison) -> Table:
    newsrooms, timed = comparison.best.newsrooms, comparison.speed_settings is not None
    header = ["model", comparison.metric, "95 % interval", "alike"]
    header += ["worst newsroom"] * (len(newsrooms) > 1) + ["MB"]
    header += ["p50 ms", "titles/s", "core-hours a million"] * timed
    header.append("Pareto-optimal")
    models = sorted(comparison.ranked, key=lambda model: GROUPS.index(model.group))  # is stable
    first = {group: place for place, group in reversed([*enumerate(m.group for m in models)])}
    return Table(
        header,
        [_row(comparison, model) for model in models],
        text_columns=(0, 3, len(header) - 1),
        groups={place: group for group, place in first.items()},
        marked=_shown(comparison, advise(comparison).recommended),
    )


def _row(comparison: Comparison, model: ModelResult) -> list[str]:
    fronts = comparison.fronts_of(model)
    row = [
        _shown(comparison, model),
        percent(model.score),
        interval(model.interval),
        comparison.letters.get(model.name, ""),
    ]
    row += [percent(min(model.newsrooms.values()))] if len(model.newsrooms) > 1 else []
    row.append("" if model.group == REMOTE else megabytes(model.size_bytes))
    hours, price = comparison.core_hours(model), comparison.price(model)
    if model.speed is not None and hours is not None:
        row.append(f"{model.speed.p50_ms.median:.2f}")
        row += [f"{model.speed.titles_per_s.median:,.0f}", f"{hours:.2g}"]
    elif comparison.speed_settings is not None:
        row += ["", "", "" if price is None else f"costs {price:,.2f}"]
    return [*row, f"★ {', '.join(fronts)}" if fronts else ""]


def pictures(comparison: Comparison) -> list[Picture]:
    """The score against size and, where it was measured, against latency and throughput."""
    return [_picture(comparison, cost) for cost in _COSTS if cost in comparison.fronts]


def _picture(comparison: Comparison, cost: str) -> Picture:
    models = [model for model in comparison.models if not _is_out_of_view(comparison, model)]
    points = Points(
        names=[_picture_name(comparison, model) for model in models],
        costs=[_cost(cost, model) for model in models],
        scores=[model.score for model in models],
        intervals=[model.interval for model in models],
        on_front=[cost in comparison.fronts_of(model) for model in models],
    )
    front = [model.name for model in models if cost in comparison.fronts_of(model)]
    named = f"Pareto-optimal: {', '.join(front)}" if front else "no model is Pareto-optimal"
    description = f"{comparison.metric.capitalize()} against {cost}; {named}"
    axis = Axis(_COSTS[cost], comparison.metric, more_is_better=cost == "throughput")
    return Picture(f"accuracy_{cost}.svg", draw_front(points, axis), description)


def _cost(cost: str, model: ModelResult) -> float:
    if cost == "size" or model.speed is None:
        return model.size_bytes / 1e6
    return (model.speed.p50_ms if cost == "latency" else model.speed.titles_per_s).median


def _is_out_of_view(comparison: Comparison, model: ModelResult) -> bool:
    """Whether it is no choice, or would stretch the axes; the best is always in view."""
    is_choice = model in comparison.deployable and not comparison.is_far_behind(model)
    return model is not comparison.best and not is_choice


def _shown(comparison: Comparison, model: ModelResult) -> str:
    """The name, with that of the pictures where it is another."""
    name = _picture_name(comparison, model)
    return model.name if model.name == name else f"{model.name} ({name})"


def _picture_name(comparison: Comparison, model: ModelResult) -> str:
    """A name that every machine has letters for; a font with Chinese may be missing."""
    number = comparison.models.index(model) + 1
    return model.name if model.name.isascii() else f"model {number}"


def _front_data(comparison: Comparison) -> dict[str, list[str]]:
    return {
        cost: [model.name for model in comparison.models if cost in comparison.fronts_of(model)]
        for cost in comparison.fronts
    }


def _model_data(comparison: Comparison) -> list[dict[str, object]]:
    return [
        {
            "name": model.name,
            "group": model.group,
            "route": model.candidate.manifest.route,
            "score": model.score,
            "interval_95": list(model.interval),
            "letters": comparison.letters.get(model.name),
            "accuracy": model.metrics["accuracy"],
            "macro_f1": model.metrics["macro_f1"],
            "size_bytes": model.size_bytes,
            "p50_ms": None if model.speed is None else model.speed.p50_ms.median,
            "titles_per_s": None if model.speed is None else model.speed.titles_per_s.median,
            "core_hours_per_million": comparison.core_hours(model),
            "price_per_million": comparison.price(model),
        }
        for model in comparison.models
    ]


SECTION = Section("overview", "All models", write)
