"""What training a baseline is, whichever: fit, calibrate on dev, save."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from models.artifact import Manifest, Route
from recipes.lessons import read_learning
from recipes.saving import calibrate, claim_model, save_model
from recipes.settings import Learning
from scoring.metrics import accuracy
from titles import LabelledTitles

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Fit = Callable[[LabelledTitles, LabelledTitles], Route]
"""Titles to learn from and titles to choose on, to a model that is not calibrated."""


def train_baseline(settings: Learning, training: DataclassInstance, fit: Fit) -> Manifest:
    """Train, calibrate on dev, save.

    Args:
        training: what `fit` was told, for the manifest.
    """
    claim_model(settings, settings.learned_files)
    train, dev, remarks, made_from = read_learning(settings)
    started = time.perf_counter()
    model = fit(train.of_one_class(), dev.of_one_class())
    seconds = round(time.perf_counter() - started, 1)
    scores = model.score(dev.titles)
    calibration = calibrate(settings, dev, scores)
    found: dict[str, Any] = getattr(model, "hyperparameters", dict)()  # by fastText's own search
    return save_model(
        settings,
        model,
        calibration,
        trained_on=train.fingerprint.to_dict(),
        hyperparameters=asdict(training) | found,
        metrics={
            "dev_accuracy": accuracy(scores.probabilities, dev.gold),
            "training_seconds": seconds,
        },
        made_from=made_from,
        remarks=remarks,
    )
