"""`biaoti prune` and `biaoti factorize`: take something away, then train what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from models.artifact import Manifest, load
from models.bounds import Bounds
from models.errors import UsageError
from models.student import StudentClassifier
from recipes.ingredients import model_ingredient, named
from recipes.lessons import read_learning, require_classes
from recipes.saving import calibrate, save_model
from recipes.settings import FolderArgument, Layers, OptionalNumber, OptionalPath, OptionalShare
from recipes.teaching import TaughtLearning, claim_student, taught_titles, train_student
from recipes.telling import logger
from scoring.metrics import accuracy
from titles import LabelledTitles
from training.compression import low_rank
from training.compression.conversion import as_student
from training.compression.magnitude import prune_magnitude
from training.compression.recovery import RecoverySettings
from training.compression.selection import keep_most_important

Cut = Callable[[StudentClassifier, LabelledTitles], StudentClassifier]
"""A student and labelled titles to measure on, to the student with something taken away."""


@dataclass(frozen=True, kw_only=True)
class Shrinking(TaughtLearning):
    """What both verbs take."""

    folder: FolderArgument
    """An encoder or a student."""
    teacher: OptionalPath = None
    """Whose scores are learned, too; by default the model itself, as it was before."""
    recovery: bool = True
    """Whether what is left is trained."""
    training: RecoverySettings = RecoverySettings()


@dataclass(frozen=True, kw_only=True)
class Prune(Shrinking):
    """Take heads, neurons or layers out of an encoder or a student, and train what is left.

    What stays is what the loss on training titles depends on most: heads and neurons are ranked
    by its gradient, layers by leaving each out in turn. The result is a smaller, dense student.
    It learns from labels and --teacher as in 'biaoti distill'.
    With --magnitude, single weights become zero instead, which makes a model neither smaller nor
    faster. A run can be interrupted: the same command goes on from its last checkpoint.
    """

    heads: OptionalNumber = None
    """Attention heads kept in each layer."""
    d_ff: OptionalNumber = None
    """Feed-forward neurons kept in each layer."""
    layers: Layers = None
    """How many layers are kept, or which ones, counted from 0."""
    across_layers: bool = False
    """Rank heads and neurons of all layers together: --heads and --d-ff are averages."""
    magnitude: Annotated[OptionalShare, Bounds(least=0, below=1)] = None
    """Of the weights, to set to zero."""

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = [self.heads, self.d_ff, self.layers]
        if (self.magnitude is None) == all(part is None for part in parts):
            raise UsageError(
                "pass one or more of --heads, --d-ff and --layers, or else --magnitude"
            )


@dataclass(frozen=True, kw_only=True)
class Factorize(Shrinking):
    """Cut the linear layers of an encoder or a student in two of low rank, and train them.

    A layer stays as it is where two would not be smaller. A run can be interrupted: the same
    command goes on from its last checkpoint.
    """

    energy: Annotated[OptionalShare, Bounds(above=0, most=1)] = None
    """Of each layer's squared singular values, to keep."""
    budget: Annotated[OptionalShare, Bounds(above=0, most=1)] = None
    """Of all linear layers' weights together, to keep."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.energy is None) == (self.budget is None):
            raise UsageError("pass --energy or --budget, and not both")


def prune(settings: Prune) -> Manifest:
    """Prune, train what is left, calibrate on dev, save; goes on from its last checkpoint."""

    def cut(student: StudentClassifier, train: LabelledTitles) -> StudentClassifier:
        if settings.magnitude is not None:
            return prune_magnitude(student, settings.magnitude)
        by_layer = not settings.across_layers
        return keep_most_important(
            student, train, settings.heads, settings.d_ff, settings.layers, by_layer
        )

    return _shrink(settings, cut, ("heads", "d_ff", "layers", "across_layers", "magnitude"))


def factorize(settings: Factorize) -> Manifest:
    """Factorise, train what is left, calibrate on dev, save; goes on from its last checkpoint."""

    def cut(student: StudentClassifier, _: LabelledTitles) -> StudentClassifier:
        if settings.energy is not None:
            ranks = low_rank.ranks_by_energy(student, settings.energy)
        else:
            ranks = low_rank.ranks_by_budget(student, settings.budget or 1.0)
        for name, rank in ranks.items():
            logger.info("%s: rank %d", name, rank)
        return low_rank.factorize_layers(student, ranks)

    return _shrink(settings, cut, ("energy", "budget"))


def _shrink(settings: Shrinking, cut: Cut, asked: tuple[str, ...]) -> Manifest:
    """From the folder's model to what `cut` leaves of it, trained again and saved.

    Args:
        asked: the settings that say what is cut, for the manifest.
    """
    claim_student(settings, settings.folder, settings.teacher, trains=settings.recovery)
    source = load(settings.folder)
    teacher = load(settings.teacher) if settings.teacher else source
    whole = as_student(source)
    lesson = read_learning(settings, source.labels)
    train, dev, remarks, made_from = lesson
    require_classes(train.labels, source, teacher)
    model = cut(whole, train)
    logger.info("%s weights before, %s after", f"{_weights(whole):,}", f"{_weights(model):,}")
    metrics = {
        "dev_accuracy_before": accuracy(whole.predict_proba(dev.titles), dev.gold),
        "dev_accuracy_unrecovered": accuracy(model.predict_proba(dev.titles), dev.gold),
    }
    origin = model_ingredient("source", source)
    used: dict[str, Any] = {"source": named(source)}
    used |= {name: getattr(settings, name) for name in asked}
    if settings.recovery:
        taught = taught_titles(settings, lesson)
        return train_student(settings, model, teacher, taught, [origin], used, metrics)
    scores = model.score(dev.titles)
    calibration = calibrate(settings, dev, scores, model.tokenizer.max_length)
    return save_model(
        settings,
        model,
        calibration,
        trained_on=train.fingerprint.to_dict(),
        hyperparameters=used,
        metrics=metrics | {"dev_accuracy": metrics["dev_accuracy_unrecovered"]},
        made_from=[*made_from, origin],
        remarks=remarks,
    )


def _weights(student: StudentClassifier) -> int:
    return sum(weight.numel() for weight in student.network.parameters())
