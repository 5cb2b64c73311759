"""Which model to deploy, under which constraint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.advice import CLOSE, Choice, cheaper_at_a_price, choose, within_limits
from evaluation.compare import Comparison, ModelResult
from evaluation.report.blocks import Bullets, Paragraph
from evaluation.report.section import Content, Section
from evaluation.report.words import interval, listing, megabytes, p_equals, p_value, percent, points
from evaluation.significance import LEVEL


def write(comparison: Comparison) -> Content:
    choices = choose(comparison)
    limited = within_limits(comparison, choices)
    by_model: dict[str, list[Choice]] = {}
    for choice in choices:
        by_model.setdefault(choice.model.name, []).append(choice)
    of_best = by_model.pop(comparison.best.name, [])
    items = [_most_accurate(comparison, of_best)]
    items += [_instead(comparison, of_model) for of_model in by_model.values()]
    items += [_within(comparison, choice) for choice in limited]
    items += _at_a_price(comparison)
    data = {
        "most_accurate": comparison.best.name,
        "good_enough_points": 100 * CLOSE,
        "choices": [_choice_data(choice) for choice in choices],
        "within_limits": [_choice_data(choice) for choice in limited],
        "cheaper_at_a_price": [model.name for model in cheaper_at_a_price(comparison)],
    }
    opening = Paragraph(
        _explanation(comparison), lead=_headline(comparison.best, [*choices, *limited])
    )
    return Content([opening, Bullets(items)], data)


def _headline(best: ModelResult, choices: Sequence[Choice]) -> str:
    """`Deploy A where accuracy is all that counts; B where files must be small or …`."""
    where = {best.name: ["accuracy is all that counts"]}
    for choice in choices:
        where.setdefault(choice.model.name, []).append(choice.constraint.where)
    if len(where) == 1:
        return f"Deploy {best.name}: no other model is as good and costs less."
    parts = [f"{name} where {listing(reasons, 'or')}" for name, reasons in where.items()]
    return f"Deploy {'; '.join(parts)}."


def _explanation(comparison: Comparison) -> str:
    models, source = comparison.models, comparison.data.fingerprint
    counted = f"{len(models)} models" if len(models) > 1 else "One model"
    return (
        f"{counted} scored the {len(comparison.data.titles):,} titles of {source.name}. A model "
        f"is good enough if it loses at most {100 * CLOSE:.1f} points against the most accurate, "
        "or if McNemar's test cannot tell the two apart on these titles; of those, the one that "
        "costs least is named."
    )


def _most_accurate(comparison: Comparison, choices: Sequence[Choice]) -> tuple[str, str]:
    """The best model, what else it is best at, and over whom its lead may be chance."""
    best = comparison.best
    shown = interval(best.metrics["interval_95"]["accuracy"])
    text = f"{percent(best.accuracy)} of titles right (95 % interval {shown})"
    text += f", {megabytes(best.size_bytes)} MB{_p50(best)}."
    if choices:
        also = [choice.constraint.superlative for choice in choices]
        text += f" Of the models that are good enough it is also: {listing(also)}."
    return f"{best.name} is the most accurate:", text + _lead(comparison)


def _lead(comparison: Comparison) -> str:
    best = comparison.best
    others = [model for model in comparison.deployable if model is not best]
    unproven = [
        f"{model.name} ({points(best.accuracy - model.accuracy)}; {_p_values(comparison, model)})"
        for model in others
        if not comparison.pair(best, model).differ
    ]
    if unproven:
        return f" Its lead may be chance over {listing(unproven)}."
    return " It is better than every other by more than chance." if others else ""


def _instead(comparison: Comparison, choices: Sequence[Choice]) -> tuple[str, str]:
    """A model that is good enough, what it is best at, and what it gives up."""
    model, best = choices[0].model, comparison.best
    gains = [f"{choice.constraint.superlative} ({_against(choice, best)})" for choice in choices]
    return f"{model.name} is good enough:", f"{listing(gains)}. {_loss(comparison, choices[0])}"


def _within(comparison: Comparison, choice: Choice) -> tuple[str, str]:
    """The most accurate model within a limit, and what it gives up."""
    text = f"{choice.model.name} is the most accurate, with {choice.constraint.show(choice.model)}."
    return f"Where {choice.constraint.where}:", f"{text} {_loss(comparison, choice)}"


def _against(choice: Choice, best: ModelResult) -> str:
    """`14.2 MB, not 450.0 MB`."""
    shown = choice.constraint.show(choice.model)
    if choice.constraint.cost(best) is None:
        return shown
    return f"{shown}, not {choice.constraint.show(best)}"


def _loss(comparison: Comparison, choice: Choice) -> str:
    """What the choice gives up, and how sure that is."""
    model, best = choice.model, comparison.best
    if choice.loss <= 0:
        return f"It is as accurate as {best.name} on these titles."
    pair, p_values = comparison.pair(best, model), _p_values(comparison, model)
    lost = f"It gets {points(choice.loss)} less right than {best.name}"
    if pair.differ:
        return f"{lost}, by more than chance ({p_values})."
    if pair.p_value < LEVEL:
        return f"{lost}, probably by more than chance ({p_values})."
    caution = "; score more titles before relying on it" if choice.loss > CLOSE else ""
    titles = len(comparison.data.titles)
    return f"{lost}, which {titles:,} titles cannot tell from chance ({p_values}){caution}."


def _p_values(comparison: Comparison, model: ModelResult) -> str:
    """McNemar's p against the best model, and the same after Holm's correction."""
    pair = comparison.pair(comparison.best, model)
    if len(comparison.pairs) == 1:
        return p_equals(pair.p_value)
    corrected = f"corrected for {len(comparison.pairs)} pairs {p_value(pair.p_holm)}"
    return f"{p_equals(pair.p_value)}, {corrected}"


def _at_a_price(comparison: Comparison) -> list[tuple[str, str]]:
    cheaper = cheaper_at_a_price(comparison)
    if not cheaper:
        return []
    named = [
        f"{model.name} ({points(comparison.best.accuracy - model.accuracy)} less, "
        f"{megabytes(model.size_bytes)} MB{_p50(model)})"
        for model in cheaper
    ]
    return [("Cheaper still, at a price in accuracy:", f"{listing(named)}.")]


def _p50(model: ModelResult) -> str:
    return "" if model.speed is None else f", p50 {model.speed.p50_ms.median:.2f} ms"


def _choice_data(choice: Choice) -> dict[str, Any]:
    return {
        "constraint": choice.constraint.id,
        "model": choice.model.name,
        "accuracy_lost": choice.loss,
        "p_value": choice.p_value,
    }


SECTION = Section("summary", "Which model to deploy", write)
