"""A comparison of models on the same labelled titles: all that a report is made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

import numpy as np

from evaluation.candidates import Candidate
from evaluation.groups import ABLATIONS, REMOTE, group_of
from evaluation.latency import Speed, SpeedSettings
from evaluation.limits import NO_LIMITS, Limits
from evaluation.pareto import pareto_front
from evaluation.significance import PairTest, letter_groups
from models.classifier import Scores
from models.remark import Remark
from scoring.metrics import right
from scoring.newsrooms import title_weights
from scoring.remarks import before_scoring, is_at_majority, of_lengths, of_scores
from scoring.robustness import FormFlips
from titles import LabelledTitles

FLOOR = 0.1
"""Models farther behind the best, 10 points, are on no Pareto front and in no picture."""


@dataclass(frozen=True, eq=False)
class ModelResult:
    """What one model made of the titles.

    Attributes:
        raw: the scores before calibration.
        calibrated: (n, classes) probabilities as the model shows them.
        metrics: those of `evaluation.evaluate.labelled_metrics`.
        speed: None where it was not measured.
    """

    candidate: Candidate
    raw: Scores
    calibrated: np.ndarray
    metrics: dict[str, Any]
    size_bytes: int
    speed: Speed | None

    @property
    def name(self) -> str:
        return self.candidate.name

    @property
    def group(self) -> str:
        """One of `evaluation.groups.GROUPS`."""
        return group_of(self.candidate)

    @property
    def score(self) -> float:
        """What models are ranked by: the mean macro recall of several newsrooms, else accuracy."""
        return float(self.metrics.get("macro_recall", self.metrics["accuracy"]))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `score`."""
        found = self.metrics["interval_95"]
        low, high = found.get("macro_recall", found["accuracy"])
        return low, high

    @property
    def newsrooms(self) -> dict[str, float]:
        """The macro recall in each newsroom that has titles in scope; empty for one plain file."""
        rows = self.metrics.get("newsrooms", ())
        return {
            row["newsroom"]: row["macro_recall"] for row in rows if row["macro_recall"] is not None
        }

    @property
    def has_learned(self) -> bool:
        """Whether it is better than the most frequent class answered to every title."""
        return not is_at_majority(np.array(self.metrics["confusion_matrix"]))

    @cached_property
    def predicted(self) -> np.ndarray:
        """(n,) class ids."""
        class_ids: np.ndarray = self.raw.probabilities.argmax(axis=1)
        return class_ids


@dataclass(frozen=True)
class Comparison:
    """Models side by side.

    Attributes:
        data: the labelled titles that all models scored.
        models: in the order given.
        pairs: a test of every pair of models that are no references.
        machine: on which it was measured.
        speed_settings: None where speed was not measured.
        limits: within which a model is recommended.
        leaks: (n,) bool, the titles that occur in the training data; None where it is not given.
        forms: what changes of form do to the recommended model; empty where that was not tried.
        price_per_core_hour: 0 where it is not known.
        made_on: the day of the report.
    """

    data: LabelledTitles
    models: tuple[ModelResult, ...]
    pairs: tuple[PairTest, ...]
    machine: dict[str, Any]
    speed_settings: SpeedSettings | None
    limits: Limits = NO_LIMITS
    leaks: np.ndarray | None = None
    forms: tuple[FormFlips, ...] = ()
    price_per_core_hour: float = 0.0
    made_on: date = field(default_factory=lambda: datetime.now(UTC).date())

    @property
    def metric(self) -> str:
        """What `ModelResult.score` is called."""
        return "accuracy" if self.data.newsroom_labels is None else "macro recall"

    @cached_property
    def ranked(self) -> list[ModelResult]:
        """The best first, of several the smallest."""
        return sorted(self.models, key=lambda model: (-model.score, model.size_bytes))

    @cached_property
    def deployable(self) -> list[ModelResult]:
        """Those that may be chosen: no reference, no ablation, and none behind an endpoint, whose
        costs are others; unless there is nothing else.
        """
        tested = without_references(self.models)
        return [model for model in tested if model.group not in (ABLATIONS, REMOTE)] or tested

    @cached_property
    def best(self) -> ModelResult:
        """The most accurate of the deployable models; of several the smallest."""
        return next(model for model in self.ranked if model in self.deployable)

    @cached_property
    def letters(self) -> dict[str, str]:
        """Of each tested model: two that share a letter cannot be told apart on these titles."""
        tested = {pair.first for pair in self.pairs} | {pair.second for pair in self.pairs}
        names = [model.name for model in self.ranked if model.name in tested]
        return letter_groups(names, self.pairs)

    def pair(self, one: ModelResult, other: ModelResult) -> PairTest:
        """The test of two different models, in whichever order they were given."""
        names = {one.name, other.name}
        return next(pair for pair in self.pairs if {pair.first, pair.second} == names)

    def right(self, model: ModelResult) -> np.ndarray:
        """(n,) bool: the titles whose class, or one that they may be of, the model answers."""
        return right(model.raw.probabilities, self.data.gold)

    def core_hours(self, model: ModelResult) -> float | None:
        """What a million titles take in batches, in hours of one core; None if not measured."""
        if model.speed is None:
            return None
        seconds = 1e6 / model.speed.titles_per_s.median
        return float(seconds * self.machine["cores"] / 3600)

    @staticmethod
    def price(model: ModelResult) -> float | None:
        """Of a million titles, by what its endpoint charged so far; None where it has none."""
        return model.candidate.manifest.provenance.metrics.get("price_per_million")

    def fronts_of(self, model: ModelResult) -> list[str]:
        """The costs in which a model is on the Pareto front."""
        place = self.models.index(model)
        return [cost for cost, front in self.fronts.items() if front[place]]

    def is_far_behind(self, model: ModelResult) -> bool:
        """Whether it is no choice, whatever it costs: below the floor, or no better than chance."""
        return self.best.score - model.score > FLOOR or not model.has_learned

    @cached_property
    def remarks(self) -> list[Remark]:
        """What is remarkable about the titles and about the models' scores on them."""
        manifests = [model.candidate.named_manifest for model in self.models]
        found = before_scoring(manifests, self.data, self.leaks)
        for model in self.models:
            found += of_scores(self.data, model.raw.probabilities, model.name)
            most = model.candidate.manifest.max_length
            found += of_lengths(self.data, model.raw.truncated, model.name, most)
        return found

    @cached_property
    def fronts(self) -> dict[str, list[bool]]:
        """For each cost, which deployable models are Pareto-optimal in the score and it."""
        costs = {"size": [m.size_bytes if m.group != REMOTE else math.inf for m in self.models]}
        speeds = [model.speed for model in self.models]
        if any(speeds):
            costs["latency"] = [each.p50_ms.median if each else math.inf for each in speeds]
            costs["throughput"] = [
                -each.titles_per_s.median if each else math.inf for each in speeds
            ]
        return {cost: self._front(values) for cost, values in costs.items()}

    def _front(self, costs: Sequence[float]) -> list[bool]:
        """A reference or an ablation is never called optimal, but may dominate what would be."""
        front = pareto_front([model.score for model in self.models], costs)
        return [
            on and model in self.deployable and not self.is_far_behind(model)
            for model, on in zip(self.models, front, strict=True)
        ]


def without_references(models: Sequence[ModelResult]) -> list[ModelResult]:
    """All but those that `transformers.pipeline` runs, unless there are no others."""
    return [model for model in models if not model.candidate.through_pipeline] or list(models)


def weights_of(data: LabelledTitles) -> np.ndarray | None:
    """What each title counts in the score; None where all count alike."""
    return None if data.newsroom_labels is None else title_weights(data)
