"""Which model to deploy: what a reader decides from, before anything else."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evaluation.advice import CLOSE, FAR, Advice, advise
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Card, Facts, Gallery, Paragraph, Verdict
from evaluation.report.data_sets import data_sets
from evaluation.report.section import Content, Section
from evaluation.report.verdict import headline, reasons
from evaluation.report.words import core_hours, interval, megabytes, percent


def write(comparison: Comparison) -> Content:
    advice = advise(comparison)
    blocks: list[Block] = [
        _facts(comparison),
        Verdict(headline(comparison, advice), reasons(comparison, advice)),
        Gallery([_card(comparison, advice, role, model) for role, model in advice.picks]),
        Paragraph(_note(comparison)),
    ]
    cards = [
        {"role": role, **_card_data(comparison, advice, model)} for role, model in advice.picks
    ]
    data = {
        "made_on": comparison.made_on.isoformat(),
        "data_sets": [asdict(found) for found in data_sets(comparison.data)],
        "machine": comparison.machine,
        "metric": comparison.metric,
        "recommended": advice.recommended.name,
        "most_accurate": comparison.best.name,
        "limits": comparison.limits.words,
        "within_limits": advice.within_limits,
        "verdict": f"{headline(comparison, advice)} {reasons(comparison, advice)}",
        "cards": cards,
    }
    return Content(blocks, data)


def _facts(comparison: Comparison) -> Facts:
    machine = comparison.machine
    sets = ", ".join(machine["instruction_sets"]) or "instruction sets not known"
    titles = "; ".join(found.words for found in data_sets(comparison.data))
    limits = comparison.limits.words
    return Facts(
        [
            ("Titles", titles),
            ("Made", f"{comparison.made_on.isoformat()}, {len(comparison.models)} models"),
            ("Machine", f"{machine['cpu']}, {machine['cores']} cores, {sets}"),
            *([("Limits", ", ".join(limits))] if limits else []),
        ]
    )


def _card(comparison: Comparison, advice: Advice, role: str, model: ModelResult) -> Card:
    worst = _worst(model)
    rows = [
        (f"{name} (worst)" if name == worst else name, percent(recall))
        for name, recall in model.newsrooms.items()
    ]
    rows.append(("size", f"{megabytes(model.size_bytes)} MB"))
    if model.speed is not None:
        rows.append(("one title, p50", f"{model.speed.p50_ms.median:.2f} ms"))
        rows.append(("titles a second", f"{model.speed.titles_per_s.median:,.0f}"))
    hours = core_hours(comparison.core_hours(model), comparison.price_per_core_hour)
    rows.append(("a million titles", hours))
    note = f"{comparison.metric}, 95 % interval {interval(model.interval)}"
    return Card(role, model.name, percent(model.score), note, rows, model is advice.recommended)


def _worst(model: ModelResult) -> str | None:
    """The newsroom in which a model is worst, of several."""
    found = model.newsrooms
    return min(found, key=lambda name: found[name]) if len(found) > 1 else None


def _note(comparison: Comparison) -> str:
    mean = (
        "The score is macro recall: in each newsroom the mean recall of its labels, then the mean "
        "of the newsrooms. A title is right if its label may mean the class that is answered. "
        if comparison.data.newsroom_labels is not None
        else ""
    )
    return (
        f"{mean}A model is good if it loses at most {100 * CLOSE:.1f} points against the most "
        f"accurate, or at most {100 * FAR:.0f} that may be chance. Recommended is the fastest good "
        "one, or the smallest where speed was not measured. References, ablations and models "
        "behind an endpoint are not chosen."
    )


def _card_data(comparison: Comparison, advice: Advice, model: ModelResult) -> dict[str, Any]:
    best, hours, speed = advice.best, comparison.core_hours(model), model.speed
    price = comparison.price_per_core_hour
    return {
        "model": model.name,
        "score": model.score,
        "interval_95": list(model.interval),
        "newsrooms": model.newsrooms,
        "worst_newsroom": _worst(model),
        "score_lost": best.score - model.score,
        "p_value": None if model is best else comparison.pair(best, model).p_value,
        "size_bytes": model.size_bytes,
        "p50_ms": None if speed is None else speed.p50_ms.median,
        "titles_per_s": None if speed is None else speed.titles_per_s.median,
        "core_hours_per_million": hours,
        "cost_per_million": hours * price if hours is not None and price else None,
    }


SECTION = Section("summary", "Which model to deploy", write)
