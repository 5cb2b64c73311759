"""Compare models on the same labelled titles: every figure that the report shows, computed once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluation.advice import advise
from evaluation.candidates import Candidate
from evaluation.comparison import Comparison, ModelResult, weights_of, without_references
from evaluation.evaluate import labelled_metrics
from evaluation.groups import REMOTE, group_of
from evaluation.latency import Speed, SpeedSettings, measure
from evaluation.limits import NO_LIMITS, Limits
from evaluation.significance import PairTest, pair_tests
from models.calibration import calibrated
from models.classifier import Scores
from models.errors import DataError, UsageError
from models.machine import describe
from models.remark import Remark
from scoring.metrics import right
from scoring.remarks import before_scoring
from scoring.robustness import FormFlips, form_flips
from scoring.store import ScoreStore
from titles import LabelledTitles

FORM_TITLES = 2000
"""So many titles are given to the recommended model in other forms."""


def compare(
    candidates: Sequence[Candidate],
    data: LabelledTitles,
    store: ScoreStore,
    speed_settings: SpeedSettings | None = None,
    limits: Limits = NO_LIMITS,
    show_progress: bool = True,
    leaks: np.ndarray | None = None,
    price_per_core_hour: float = 0.0,
) -> Comparison:
    """Score and, if asked, time every model; scores that `store` holds are not made again.

    Args:
        data: of the models' classes.
        limits: within which a model is recommended, which is then given titles in other forms.
        leaks: (n,) bool, the titles that occur in the training data.
    Raises:
        UsageError: the data is of other classes, or of the same in another order.
        DataError: no title is of some class.
        ArtifactError: a model cannot be trusted.
        BiaotiError: a model could not be measured.
    """
    require_models_classes(data, candidates[0])
    scores = [store.find(each, data.titles, show_progress).scores for each in candidates]
    speeds: Sequence[Speed | None] = [None] * len(candidates)
    if speed_settings is not None:
        local = [each for each in candidates if group_of(each) != REMOTE]
        measured = iter(measure(local, data.titles, speed_settings, show_progress))
        speeds = [next(measured) if each in local else None for each in candidates]
    models = tuple(
        result_of(candidate, data, raw, speed, leaks)
        for candidate, raw, speed in zip(candidates, scores, speeds, strict=True)
    )
    comparison = Comparison(
        data,
        models,
        paired(models, data),
        describe(),
        speed_settings,
        limits,
        leaks,
        price_per_core_hour=price_per_core_hour,
    )
    chosen = advise(comparison).recommended.candidate
    return replace(comparison, forms=_forms(chosen, data, store, show_progress))


def remarks_before(
    candidates: Sequence[Candidate], data: LabelledTitles, leaks: np.ndarray | None
) -> list[Remark]:
    """What is remarkable before anything is scored; models are called as in the report."""
    return before_scoring([each.named_manifest for each in candidates], data, leaks)


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


def paired(models: Sequence[ModelResult], data: LabelledTitles) -> tuple[PairTest, ...]:
    """A test of every pair of models that are no references, on the titles in scope."""
    hits = {
        model.name: right(model.raw.probabilities, data.gold)[data.in_scope]
        for model in without_references(models)
    }
    weights = weights_of(data)
    return tuple(pair_tests(hits, None if weights is None else weights[data.in_scope]))


def require_models_classes(data: LabelledTitles, candidate: Candidate) -> None:
    """Refuse titles that are not labelled by the classes of the models.

    Raises:
        UsageError: other classes, or another order.
        DataError: no title is of some class.
    """
    ours, theirs = data.labels.names, candidate.manifest.labels
    if ours != theirs:
        raise UsageError(
            f"{data.fingerprint.name} has the classes {', '.join(ours)}, but '{candidate.name}' "
            f"has {', '.join(theirs)}; read the titles with the model's classes"
        )
    if not (data.label_ids >= 0).any():
        raise DataError(
            "no title is known to be of one class; give titles that are", data.fingerprint.name
        )


def _forms(
    candidate: Candidate, data: LabelledTitles, store: ScoreStore, show_progress: bool
) -> tuple[FormFlips, ...]:
    drawn = random.Random(0).sample(list(data.titles), min(FORM_TITLES, len(data)))
    return tuple(form_flips(lambda titles: store.raw(candidate, titles, show_progress), drawn))
