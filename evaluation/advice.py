"""Which model to deploy under which constraint, said by the numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluation.compare import Comparison, Limits, ModelResult
from evaluation.significance import LEVEL

CLOSE = 0.007
"""A loss of accuracy that a deployment may well accept: 0.7 points."""


@dataclass(frozen=True)
class Constraint:
    """Something that a deployment may be short of.

    Attributes:
        where: completes "deploy … where …".
        superlative: what the chosen model is, or has, among those that are good enough.
        cost: less is better; None where it is not known.
        show: the cost in words.
    """

    id: str
    where: str
    superlative: str
    cost: Callable[[ModelResult], float | None]
    show: Callable[[ModelResult], str]


@dataclass(frozen=True)
class Choice:
    """The model to deploy under one constraint.

    Attributes:
        loss: accuracy that it gives up against the most accurate model.
        p_value: McNemar's of that difference, not corrected; None for the most accurate itself.
    """

    constraint: Constraint
    model: ModelResult
    loss: float
    p_value: float | None


_MADE_FROM = {"teacher", "start", "source", "members", "averaged"}
"""How a model's provenance names the models that it was made from or taught by."""


def training_seconds(model: ModelResult) -> float | None:
    """How long training took, where the model's provenance says so.

    None also for a model that was made from others: what those took is not in its figure.
    """
    provenance = model.candidate.manifest.provenance
    if _MADE_FROM & provenance.hyperparameters.keys():
        return None
    seconds = provenance.metrics.get("training_seconds")
    return float(seconds) if isinstance(seconds, int | float) else None


def _speed(cost: Callable[[ModelResult], float]) -> Callable[[ModelResult], float | None]:
    return lambda model: None if model.speed is None else cost(model)


SIZE = Constraint(
    "size",
    "files must be small",
    "smallest",
    lambda model: float(model.size_bytes),
    lambda model: f"{model.size_bytes / 1e6:,.1f} MB",
)
LATENCY = Constraint(
    "latency",
    "one title must be answered fast",
    "fastest answer to one title",
    _speed(lambda model: model.speed.p50_ms.median),  # type: ignore[union-attr]
    lambda model: f"p50 {model.speed.p50_ms.median:.2f} ms",  # type: ignore[union-attr]
)
THROUGHPUT = Constraint(
    "throughput",
    "many titles must be got through",
    "most titles a second",
    _speed(lambda model: -model.speed.titles_per_s.median),  # type: ignore[union-attr]
    lambda model: f"{model.speed.titles_per_s.median:,.0f} titles/s",  # type: ignore[union-attr]
)
CONSTRAINTS = (
    SIZE,
    LATENCY,
    THROUGHPUT,
    Constraint(
        "memory",
        "memory is short",
        "least memory",
        _speed(lambda model: model.speed.peak_memory_mb),  # type: ignore[union-attr]
        lambda model: f"{model.speed.peak_memory_mb:,.0f} MiB",  # type: ignore[union-attr]
    ),
    Constraint(
        "training",
        "it is trained again often",
        "cheapest to train of those that say what it took",
        training_seconds,
        lambda model: f"{training_seconds(model):,.0f} s",
    ),
)


def is_good_enough(comparison: Comparison, model: ModelResult) -> bool:
    """Whether a model loses at most `CLOSE`, or cannot be told apart from the most accurate.

    Without correction for the number of pairs: correcting would make it harder to see a loss.
    """
    loss = round(comparison.best.accuracy - model.accuracy, 9)  # else 0.7 points exceed 0.007
    if model is comparison.best or loss <= CLOSE:
        return True
    return comparison.pair(comparison.best, model).p_value >= LEVEL


def choose(comparison: Comparison) -> list[Choice]:
    """For each constraint the model that costs least, of those that are good enough.

    A constraint is left out where the cost of no more than one such model is known.
    """
    enough = [model for model in comparison.deployable if is_good_enough(comparison, model)]
    choices = []
    for constraint in CONSTRAINTS:
        known = _known_costs(constraint, enough)
        if len(known) > 1:
            _, model = min(known, key=lambda pair: (pair[0], -pair[1].accuracy))
            choices.append(_choice(comparison, constraint, model))
    return choices


def _known_costs(
    constraint: Constraint, models: Sequence[ModelResult]
) -> list[tuple[float, ModelResult]]:
    costs = [(constraint.cost(model), model) for model in models]
    return [(cost, model) for cost, model in costs if cost is not None]


def _choice(comparison: Comparison, constraint: Constraint, model: ModelResult) -> Choice:
    best = comparison.best
    p_value = None if model is best else comparison.pair(best, model).p_value
    return Choice(constraint, model, best.accuracy - model.accuracy, p_value)


def within_limits(comparison: Comparison, choices: Sequence[Choice]) -> list[Choice]:
    """For each limit that `choices` exceed, the most accurate model within it.

    The constraint of such a choice is the limit's: "deploy … where a model may have 15 MB".
    """
    chosen = {choice.constraint.id: choice.model for choice in choices}
    found = []
    for constraint, most in _limits(comparison.limits):
        known = _known_costs(constraint, comparison.deployable)
        affordable = [model for cost, model in known if cost <= most]
        cost = constraint.cost(chosen.get(constraint.id, comparison.best))
        if affordable and cost is not None and cost > most:
            model = max(affordable, key=lambda model: model.accuracy)
            found.append(_choice(comparison, constraint, model))
    return found


def _limits(limits: Limits) -> list[tuple[Constraint, float]]:
    """The constraints that have a limit, in the limit's words, and the greatest cost within it."""
    mb, ms, rate = limits.max_mb, limits.max_ms, limits.min_titles_per_s
    return [
        (replace(SIZE, where=f"a model may have {mb:,g} MB"), 1e6 * mb),
        (replace(LATENCY, where=f"one title may take {ms:,g} ms"), ms),
        (replace(THROUGHPUT, where=f"{rate:,g} titles a second are needed"), -rate),
    ]


def cheaper_at_a_price(comparison: Comparison) -> list[ModelResult]:
    """Pareto-optimal models that are not good enough: for whom even the choices cost too much."""
    on_a_front = {
        comparison.models[i].name
        for front in comparison.fronts.values()
        for i, is_on_it in enumerate(front)
        if is_on_it
    }
    found = [
        model
        for model in comparison.deployable
        if model.name in on_a_front and not is_good_enough(comparison, model)
    ]
    return sorted(found, key=lambda model: -model.accuracy)
