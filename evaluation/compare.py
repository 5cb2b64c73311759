"""Compare models on the same labelled titles: every figure that the report shows, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Annotated, Any

import numpy as np

from evaluation.candidates import Candidate
from evaluation.evaluate import labelled_metrics
from evaluation.latency import Speed, SpeedSettings, measure
from evaluation.pareto import pareto_front
from evaluation.significance import PairTest, pair_tests
from models.bounds import Bounds, Checked, NonNegativeFloat
from models.calibration import calibrated
from models.classifier import Scores
from models.errors import UsageError
from models.labels import Labels
from models.machine import describe
from models.remark import Remark
from scoring.remarks import before_scoring, is_at_majority, of_lengths, of_scores
from scoring.store import ScoreStore
from titles import LabelledTitles


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
    def accuracy(self) -> float:
        return float(self.metrics["accuracy"])

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
class Limits(Checked):
    """What a deployment may be able to afford."""

    max_mb: Annotated[float, Bounds(above=0, besides=(inf,))] = 15.0
    """10⁶ bytes of a model's folder; inf = any number."""
    max_ms: Annotated[float, Bounds(above=0, besides=(inf,))] = 2.0
    """Milliseconds, the median, for one title on one thread; inf = any number."""
    min_titles_per_s: NonNegativeFloat = 1000.0
    """At least so many titles a second in batches on all threads; 0 = any number."""


@dataclass(frozen=True)
class Comparison:
    """All that a report is made from.

    Attributes:
        data: the labelled titles that all models scored.
        models: in the order given.
        pairs: McNemar's test of every pair of deployable models.
        machine: on which it was measured.
        speed_settings: None where speed was not measured.
        limits: within which the most accurate model is named.
        leaks: (n,) bool, the titles that occur in the training data; None where it is not given.
    """

    data: LabelledTitles
    models: tuple[ModelResult, ...]
    pairs: tuple[PairTest, ...]
    machine: dict[str, Any]
    speed_settings: SpeedSettings | None
    limits: Limits = Limits()
    leaks: np.ndarray | None = None

    @cached_property
    def deployable(self) -> list[ModelResult]:
        return deployable(self.models)

    @cached_property
    def best(self) -> ModelResult:
        """The most accurate of the deployable models; of several the smallest."""
        return min(self.deployable, key=lambda model: (-model.accuracy, model.size_bytes))

    def pair(self, one: ModelResult, other: ModelResult) -> PairTest:
        """The test of two different models, in whichever order they were given."""
        names = {one.name, other.name}
        return next(pair for pair in self.pairs if {pair.first, pair.second} == names)

    @cached_property
    def remarks(self) -> list[Remark]:
        """What is remarkable about the titles and about the models' scores on them."""
        found = remarks_before([model.candidate for model in self.models], self.data, self.leaks)
        for model in self.models:
            found += of_scores(self.data, model.raw.probabilities, model.name)
            most = model.candidate.manifest.max_length
            found += of_lengths(self.data, model.raw.truncated, model.name, most)
        return found

    @cached_property
    def fronts(self) -> dict[str, list[bool]]:
        """For each cost, which deployable models are Pareto-optimal in accuracy and it."""
        costs: dict[str, list[float]] = {"size": [model.size_bytes for model in self.models]}
        speeds = [model.speed for model in self.models if model.speed is not None]
        if len(speeds) == len(self.models):
            costs["latency"] = [speed.p50_ms.median for speed in speeds]
            costs["throughput"] = [-speed.titles_per_s.median for speed in speeds]
        return {cost: self._front(values) for cost, values in costs.items()}

    def _front(self, costs: Sequence[float]) -> list[bool]:
        """A reference is never called optimal, but may dominate a model that would be.

        Nor is a model that has learned nothing, however little it costs.
        """
        front = pareto_front([model.accuracy for model in self.models], costs)
        pairs = zip(self.models, front, strict=True)
        return [on and model in self.deployable and model.has_learned for model, on in pairs]


def compare(
    candidates: Sequence[Candidate],
    data: LabelledTitles,
    store: ScoreStore,
    speed_settings: SpeedSettings | None = None,
    limits: Limits = Limits(),  # frozen
    show_progress: bool = True,
    leaks: np.ndarray | None = None,
) -> Comparison:
    """Score and, if asked, time every model; scores that `store` holds are not made again.

    Args:
        leaks: (n,) bool, the titles that occur in the training data.
    Raises:
        UsageError: the data has a label that the models do not know.
        ArtifactError: a model cannot be trusted.
        BiaotiError: a model could not be measured.
    """
    data = in_models_order(data, candidates[0])
    scores = [store.find(each, data.titles, show_progress).scores for each in candidates]
    speeds: Sequence[Speed | None] = [None] * len(candidates)
    if speed_settings is not None:
        speeds = measure(candidates, data.titles, speed_settings, show_progress)
    models = tuple(
        result_of(candidate, data, raw, speed, leaks)
        for candidate, raw, speed in zip(candidates, scores, speeds, strict=True)
    )
    pairs = paired(models, data)
    return Comparison(data, models, pairs, describe(), speed_settings, limits, leaks)


def remarks_before(
    candidates: Sequence[Candidate], data: LabelledTitles, leaks: np.ndarray | None
) -> list[Remark]:
    """What is remarkable before anything is scored; models are called as in the report."""
    manifests = [replace(each.manifest, name=each.name) for each in candidates]
    return before_scoring(manifests, data, leaks)


def result_of(
    candidate: Candidate,
    data: LabelledTitles,
    raw: Scores,
    speed: Speed | None,
    leaks: np.ndarray | None = None,
) -> ModelResult:
    """The metrics of one model, given its scores before calibration."""
    temperature = candidate.manifest.temperature
    scores = calibrated(raw.probabilities, data.titles, temperature)
    metrics = labelled_metrics(data, raw.probabilities, scores, leaks)
    metrics["temperature"] = temperature
    return ModelResult(candidate, raw, scores, metrics, candidate.size_bytes, speed)


def deployable(models: Sequence[ModelResult]) -> list[ModelResult]:
    """All but those that `transformers.pipeline` runs, which are there as reference."""
    return [model for model in models if not model.candidate.through_pipeline] or list(models)


def paired(models: Sequence[ModelResult], data: LabelledTitles) -> tuple[PairTest, ...]:
    """McNemar's test of every pair of deployable models on these titles."""
    right = {model.name: model.predicted == data.label_ids for model in deployable(models)}
    return tuple(pair_tests(right))


def in_models_order(data: LabelledTitles, candidate: Candidate) -> LabelledTitles:
    """The same titles with the ids that the models give their labels, matched by name.

    Raises:
        UsageError: a label of the data is none of the model's.
    """
    manifest = candidate.manifest
    labels = Labels(manifest.labels, manifest.display_names)
    unknown = [name for name in data.labels.names if name not in labels.ids]
    if unknown:
        raise UsageError(
            f"{data.fingerprint.name} has labels that '{candidate.name}' does not know: "
            f"{', '.join(unknown[:5])}; its labels are {', '.join(labels.names)}"
        )
    place = np.array([labels.ids[name] for name in data.labels.names])
    return replace(data, labels=labels, label_ids=place[data.label_ids])
