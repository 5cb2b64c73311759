"""`biaoti ensemble` and `biaoti average`: several models as one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from models.artifact import LoadedModel, Manifest, Route, load
from models.calibration import log_probabilities
from models.classifier import Scores
from models.ensemble import EnsembleClassifier, name_members, pool
from models.student import StudentClassifier
from recipes.ingredients import data_ingredient, model_ingredient
from recipes.lessons import read_labelled
from recipes.saving import calibrate, claim_model, save_model
from recipes.settings import (
    Calibrating,
    FolderArguments,
    NewsroomFiles,
    OptionalPath,
    Reading,
)
from recipes.telling import logger, say
from scoring.metrics import accuracy
from scoring.pooling import fit_weights
from scoring.remarks import of_absent, of_few, of_origin
from scoring.store import ScoreStore
from titles import LabelledTitles
from training.compression import averaging
from training.compression.conversion import as_student


@dataclass(frozen=True, kw_only=True)
class Joining(Calibrating):
    """What both verbs take."""

    dev: NewsroomFiles
    """Titles to choose and calibrate on; repeatable, one newsroom's each."""
    reading: Reading = Reading()


@dataclass(frozen=True, kw_only=True)
class Ensemble(Joining):
    """Join several models into one, which pools their calibrated scores.

    The weights are those with the lowest loss on the dev file, and the pool is calibrated on it.
    The folder holds a copy of every model, and is used as any other: it can be evaluated, served,
    or be the teacher of 'biaoti distill'.
    """

    models: FolderArguments
    """Folders, of any routes."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""


@dataclass(frozen=True, kw_only=True)
class Average(Joining):
    """Make one student of several: each of its weights is the mean of theirs.

    They must have the same shape and tokenizer, and come from one another, as those that
    'biaoti distill --start' makes do. The result is as large and as fast as one of them; it is
    calibrated on the dev file.
    """

    models: FolderArguments
    """Folders of students."""


def ensemble(settings: Ensemble) -> Manifest:
    """Fit the members' weights on dev, calibrate the pool, save it with a copy of each."""
    claim_model(settings, [*settings.models, *settings.dev])
    with ExitStack() as opened:
        members = name_members([opened.enter_context(load(each)) for each in settings.models])
        equal = [1 / len(members)] * len(members)
        EnsembleClassifier(members, equal)  # do they fit together? before they are scored
        dev = _read_dev(settings, next(iter(members.values())))
        store = ScoreStore(settings.cache)
        scores = np.stack([store.calibrated(each, dev.titles) for each in members.values()])
        logs = log_probabilities(scores)
        weights = fit_weights(logs, dev.gold)
        for name, weight, row in zip(members, weights, scores, strict=True):
            right = accuracy(row, dev.gold)
            logger.info("%s: weight %.3f, dev accuracy %.4f", name, weight, right)
        joined = EnsembleClassifier(members, weights.tolist())
        return _save_joined(settings, joined, "members", members, pool(logs, weights), dev)


def average(settings: Average) -> Manifest:
    """Average the students' weights, calibrate on dev, save."""
    claim_model(settings, [*settings.models, *settings.dev])
    members = name_members([load(folder) for folder in settings.models])
    student: StudentClassifier = averaging.average([as_student(m) for m in members.values()])
    dev = _read_dev(settings, next(iter(members.values())))
    for name, member in members.items():
        right = accuracy(member.predict_proba(dev.titles), dev.gold)
        logger.info("%s: dev accuracy %.4f", name, right)
    scores = student.predict_proba(dev.titles)
    return _save_joined(settings, student, "averaged", members, scores, dev)


def _read_dev(settings: Joining, model: LoadedModel) -> LabelledTitles:
    return read_labelled(settings.reading, settings.dev, model.labels)


def _save_joined(
    settings: Joining,
    model: Route,
    joined_as: str,
    members: Mapping[str, LoadedModel],
    scores: np.ndarray,
    dev: LabelledTitles,
) -> Manifest:
    """Calibrate the model on what it scored on the dev file, and save it.

    Args:
        joined_as: what the manifest calls the models that it was made of.
        scores: (titles, classes) probabilities, not calibrated.
    """
    said = say([*of_few(dev), *of_absent(dev)])
    for member in members.values():
        said += say(of_origin(member.manifest, dev, ["train"]))
    calibration = calibrate(settings, dev, Scores.of_whole_titles(scores))
    return save_model(
        settings,
        model,
        calibration,
        trained_on={
            name: member.manifest.provenance.trained_on for name, member in members.items()
        },
        hyperparameters={
            joined_as: {name: member.manifest.version for name, member in members.items()}
        },
        metrics={"dev_accuracy": accuracy(scores, dev.gold)},
        made_from=[
            *(model_ingredient("member", member) for member in members.values()),
            data_ingredient("dev", dev),
        ],
        remarks=said,
    )
