"""The verdict in words; what may be chance is called chance."""

from __future__ import annotations

from evaluation.advice import CLOSE, Advice
from evaluation.comparison import Comparison, ModelResult
from evaluation.report.words import listing, p_equals, p_value, percent, points
from evaluation.significance import LEVEL


def headline(comparison: Comparison, advice: Advice) -> str:
    """`Deploy A.`, or that none is worth it."""
    chosen = advice.recommended
    if not chosen.has_learned:
        return "Deploy none of these models."
    limits = comparison.limits.words
    if limits and advice.within_limits:
        return f"Deploy {chosen.name}: within your limits ({listing(limits)})."
    return f"Deploy {chosen.name}."


def reasons(comparison: Comparison, advice: Advice) -> str:
    """Why, and how sure that is."""
    chosen, best = advice.recommended, advice.best
    if not chosen.has_learned:
        return (
            f"Even {best.name}, the most accurate, is no better than chance: the most frequent "
            "class answered to every title would be about as good."
        )
    said = [_outside_limits(comparison, advice), _what_it_gets(comparison, chosen)]
    if chosen is best:
        said.append(_lead(comparison, best))
    else:
        said += [_loss(comparison, best, chosen), _gain(best, chosen)]
    return " ".join(filter(None, said))


def _outside_limits(comparison: Comparison, advice: Advice) -> str:
    limits = listing(comparison.limits.words)
    if not advice.within_limits:
        return f"No model keeps your limits ({limits}); they are left aside here."
    best = comparison.best
    if advice.best is best:
        return ""
    gained = f"{best.name}, {points(best.score - advice.best.score)} better"
    return f"Beyond your limits there is {gained} ({_p_values(comparison, best, advice.best)})."


def _what_it_gets(comparison: Comparison, model: ModelResult) -> str:
    newsrooms = model.newsrooms
    if not newsrooms:
        return f"It gets {percent(model.score)} of the titles right."
    if len(newsrooms) == 1:
        return f"Its {comparison.metric} is {percent(model.score)}."
    worst = min(newsrooms, key=lambda name: newsrooms[name])
    return (
        f"Its {comparison.metric} is {percent(model.score)}, the mean of {len(newsrooms)} "
        f"newsrooms; the worst is {worst} with {percent(newsrooms[worst])}."
    )


def _lead(comparison: Comparison, best: ModelResult) -> str:
    """Over whom the lead of the best may be chance."""
    others = [
        model
        for model in comparison.ranked
        if model is not best and model in comparison.deployable and model.score <= best.score
    ]
    chance = [
        f"{model.name} ({points(best.score - model.score)}; {_p_values(comparison, best, model)})"
        for model in others
        if not comparison.pair(best, model).differ
    ]
    if chance:
        return f"Its lead may be chance over {listing(chance)}."
    within = " within them" if comparison.limits.words and best is not comparison.best else ""
    return f"It is better than every other{within} by more than chance." if others else ""


def _loss(comparison: Comparison, best: ModelResult, chosen: ModelResult) -> str:
    """What the choice gives up against the most accurate, and how sure that is."""
    lost = best.score - chosen.score
    if lost <= 0:
        return f"It is as good as {best.name} on these titles."
    pair, p_values = comparison.pair(best, chosen), _p_values(comparison, best, chosen)
    said = f"It loses {points(lost)} against {best.name}"
    if pair.differ:
        return f"{said}, more than chance ({p_values})."
    if pair.p_value < LEVEL:
        return f"{said}, probably more than chance ({p_values})."
    caution = "; score more titles before relying on it" if lost > CLOSE else ""
    titles = int(comparison.data.in_scope.sum())
    return f"{said}, which {titles:,} titles cannot tell from chance ({p_values}){caution}."


def _gain(best: ModelResult, chosen: ModelResult) -> str:
    """What it costs less."""
    size = best.size_bytes / chosen.size_bytes
    gains = [f"is {_times(size)} smaller"] if size >= 1.1 else []
    if best.speed is not None and chosen.speed is not None:
        speed = best.speed.p50_ms.median / chosen.speed.p50_ms.median
        gains += [f"answers a title {_times(speed)} as fast"] if speed >= 1.1 else []
    return f"It {listing(gains)}." if gains else ""


def _times(factor: float) -> str:
    return f"{factor:.1f} times" if factor < 10 else f"{factor:.0f} times"


def _p_values(comparison: Comparison, one: ModelResult, other: ModelResult) -> str:
    """The p of a pair, and the same after Holm's correction."""
    pair = comparison.pair(one, other)
    if len(comparison.pairs) == 1:
        return p_equals(pair.p_value)
    corrected = f"corrected for {len(comparison.pairs)} pairs {p_value(pair.p_holm)}"
    return f"{p_equals(pair.p_value)}, {corrected}"
