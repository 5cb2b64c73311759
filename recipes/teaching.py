"""What learning from a teacher has in common: titles without labels, and the teacher's scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.artifact import Ingredient, LoadedModel, Manifest
from models.bounds import Checked
from models.ensemble import EnsembleClassifier
from models.errors import UsageError
from models.outputs import claim_folder, run_folder
from models.remark import Remark
from models.student import StudentClassifier
from recipes.ingredients import data_ingredient, model_ingredient, named
from recipes.lessons import LearningTitles
from recipes.saving import calibrate, claim_model, dev_metrics, save_model
from recipes.settings import Files, Folders, Learning, OptionalPath
from recipes.telling import logger, say
from scoring.given_scores import Predictions, read_predictions
from scoring.remarks import of_positions
from scoring.store import ScoreStore
from scoring.teacher_scores import teacher_scores
from titles import LabelledTitles, distinct_titles, read_titles, read_unlabelled
from training.compression.conversion import as_student
from training.compression.distillation import DistillSettings, distill
from training.run_folder import RUN


@dataclass(frozen=True, kw_only=True)
class Teaching(Checked):
    """What is learned from besides the labelled titles."""

    unlabelled: Files = ()
    """More titles for the teacher to label; their own labels are not read; repeatable."""
    scores: Folders = ()
    """Predictions that stand for the teacher's where they have the title, such as those of models
    that have not seen it (see 'biaoti crossfit'); a file or a folder of them; repeatable."""
    exclude: Files = ()
    """Titles to leave out; repeatable."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""


@dataclass(frozen=True, kw_only=True)
class TaughtLearning(Learning):
    """What every verb takes that trains a student."""

    teaching: Teaching = Teaching()
    training: DistillSettings = DistillSettings()


@dataclass(frozen=True)
class Taught:
    """The titles to learn from: those with a label first, then those without.

    Attributes:
        more: the files of unlabelled titles.
        given: scores that stand for the teacher's.
        remarks: what was said of the titles.
        made_from: the labelled files, as a manifest names them.
    """

    titles: LabelledTitles
    train: LabelledTitles
    dev: LabelledTitles
    more: tuple[LabelledTitles, ...]
    given: tuple[Predictions, ...]
    remarks: list[Remark]
    made_from: tuple[Ingredient, ...]

    def trained_on(self) -> dict[str, Any]:
        """What a manifest says of the titles."""
        more = [each.fingerprint.to_dict() for each in self.more]
        return {**self.train.fingerprint.to_dict(), "unlabelled": more}

    def ingredients(self, teacher: LoadedModel | None) -> tuple[Ingredient, ...]:
        """What the student is made from, but for its start."""
        return (
            *self.made_from,
            *(data_ingredient("unlabelled", each) for each in self.more),
            *(Ingredient("scores", "scores", each.path.name, each.sha256) for each in self.given),
            *([model_ingredient("teacher", teacher)] if teacher else ()),
        )


def claim_student(
    settings: TaughtLearning, *models: str | Path | None, trains: bool = True
) -> None:
    """Refuse outputs that would cost somebody something, before any work.

    Args:
        models: the folders that are read besides what `settings.teaching` names.
        trains: whether there is a run, whose folder stands beside the model's.
    Raises:
        UsageError: see `models.outputs.claim_folder`.
    """
    teaching = settings.teaching
    files = [*teaching.unlabelled, *teaching.exclude]
    inputs = [*(each for each in models if each), *teaching.scores, *map(Path, files)]
    inputs += settings.learned_files
    claim_model(settings, inputs)
    if trains:
        claim_folder(run_folder(settings.output), inputs, RUN, settings.force)


def taught_titles(settings: TaughtLearning, lesson: LearningTitles) -> Taught:
    """The training titles, then the unlabelled ones, none of which leaks from dev or --exclude.

    Raises:
        DataError: a file of titles or of scores that cannot be used.
    """
    source, teaching = settings.reading.source, settings.teaching
    train, dev, remarks, made_from = lesson
    held_out = [*train.titles, *dev.titles]
    held_out += [title for name in teaching.exclude for title in read_titles(source(name))]
    more = tuple(read_unlabelled(source(name), train.labels) for name in teaching.unlabelled)
    distinct = distinct_titles([title for each in more for title in each.titles], held_out)
    given = tuple(read_predictions(path, train.labels) for path in _files(teaching.scores))
    logger.info("%s titles with a label, %s without", f"{len(train):,}", f"{len(distinct):,}")
    return Taught(train.with_unlabelled(distinct), train, dev, more, given, remarks, made_from)


def train_student(
    settings: TaughtLearning,
    start: StudentClassifier,
    teacher: LoadedModel | None,
    taught: Taught,
    origins: Iterable[Ingredient],
    hyperparameters: Mapping[str, Any],
    metrics: Mapping[str, float] | None = None,
) -> Manifest:
    """Train on labels and on what the teacher says, calibrate on dev, save.

    An interrupted run goes on from its last checkpoint.

    Args:
        teacher: None where the labels alone teach.
        origins: what `start` was cut from.
        hyperparameters: how it was cut, for the manifest.
        metrics: what was measured before.
    Raises:
        UsageError: hidden states are asked for, and the teacher has none.
    """
    training = settings.training
    matched = as_student(with_transformer(teacher)) if training.hidden_weight else None
    asked = teacher if training.alpha else None
    scores = _ask(asked, taught, settings.teaching.cache) if asked else None
    run = run_folder(settings.output)
    remarks = [*taught.remarks, *say(of_positions(start.tokenizer.max_length, training.max_length))]
    result = distill(start, taught.titles, scores, taught.dev, training, run, matched)
    given = [each.path.name for each in taught.given]
    most = result.classifier.tokenizer.max_length
    calibration = calibrate(settings, taught.dev, result.dev_scores, most)
    manifest = save_model(
        settings,
        result.classifier,
        calibration,
        trained_on=taught.trained_on(),
        hyperparameters={
            "teacher": named(teacher) if teacher else None,
            "scores": given,
            **hyperparameters,
            **asdict(training),
        },
        metrics={**(metrics or {}), **dev_metrics(result.history)},
        made_from=[*taught.ingredients(teacher), *origins],
        remarks=remarks,
    )
    result.run_folder.clean()
    logger.info("curves: %s", run / "curves.png")
    return manifest


def with_transformer(teacher: LoadedModel | None) -> LoadedModel:
    """The teacher, or the first member of an ensemble, that a student can be cut from.

    Raises:
        UsageError: there is none.
    """
    if teacher is None:
        raise UsageError("there is no teacher; pass one with --teacher")
    route = teacher.uncalibrated
    members = list(route.members.values()) if isinstance(route, EnsembleClassifier) else []
    for model in [teacher, *members]:
        if model.manifest.route in ("encoder", "student"):
            return model
    raise UsageError(
        f"{teacher.folder} ({teacher.manifest.route}) has no Transformer for a student to start "
        "from; pass an encoder or a student with --start"
    )


def _ask(teacher: LoadedModel, taught: Taught, cache: Path | None) -> np.ndarray:
    """(titles, classes) log-probabilities: from the files given, the teacher's for the others."""
    scores, given = teacher_scores(ScoreStore(cache), teacher, taught.titles.titles, taught.given)
    counts = f"{given.sum():,}", f"{(~given).sum():,}"
    logger.info("scores of %s titles from files, of %s from the teacher", *counts)
    return scores


def _files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and those that 'biaoti crossfit' wrote into a folder named."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.glob("scores-*.csv")) if path.is_dir() else [path]
    return found
