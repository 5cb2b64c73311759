"""Which model to deploy, said by the numbers alone."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.comparison import Comparison, ModelResult
from evaluation.significance import LEVEL

CLOSE = 0.007
"""A loss of score that a deployment may well accept: 0.7 points."""
FAR = 0.05
"""A loss that it may not, however few titles there are to prove it: 5 points."""


@dataclass(frozen=True)
class Advice:
    """What the numbers say.

    Attributes:
        within_limits: whether some model keeps those that were given; where none does, they are
            left aside.
        best: the most accurate model within the limits.
        smallest, fastest: of the models that are good enough beside it. Fastest is by the median
            time of one title, None where that was not measured.
    """

    within_limits: bool
    best: ModelResult
    smallest: ModelResult
    fastest: ModelResult | None

    @property
    def recommended(self) -> ModelResult:
        """The fastest good one, or the smallest where speed is not known."""
        return self.fastest or self.smallest

    @property
    def picks(self) -> list[tuple[str, ModelResult]]:
        """Role and model of the cards."""
        found = [("Most accurate", self.best), ("Smallest good one", self.smallest)]
        return found + ([("Fastest good one", self.fastest)] if self.fastest else [])


def advise(comparison: Comparison) -> Advice:
    """Choose among the deployable models that keep the limits; where none does, among all."""
    allow = comparison.limits.allow
    within = [model for model in comparison.deployable if allow(model.size_bytes, model.speed)]
    pool = within or comparison.deployable
    best = next(model for model in comparison.ranked if model in pool)
    good = [model for model in pool if is_good_enough(comparison, model, best)]
    timed = [(model.speed.p50_ms.median, model) for model in good if model.speed is not None]
    return Advice(
        bool(within),
        best,
        min(good, key=lambda model: (model.size_bytes, -model.score)),
        min(timed, key=lambda pair: (pair[0], -pair[1].score))[1] if timed else None,
    )


def is_good_enough(comparison: Comparison, model: ModelResult, best: ModelResult) -> bool:
    """Whether a model loses at most `CLOSE`; or at most `FAR`, and it may be by chance.

    Without correction for the number of pairs: correcting would make it harder to see a loss.
    """
    loss = round(best.score - model.score, 9)  # else 0.7 points exceed 0.007
    if model is best or not model.has_learned:
        return model is best
    if loss <= CLOSE:
        return True
    return loss <= FAR and comparison.pair(best, model).p_value >= LEVEL
