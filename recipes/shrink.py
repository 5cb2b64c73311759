"""`biaoti prune` and `biaoti factorize`: take something away, then train what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from models.artifact import LoadedModel, Manifest, load
from models.errors import UsageError
from models.outputs import claim_folder
from models.student import StudentClassifier
from recipes.saving import (
    claim_model,
    dev_metrics,
    learned_from,
    logger,
    model_ingredient,
    named,
    read_learning,
    require_classes,
    run_folder,
    save_model,
)
from recipes.settings import (
    FolderArgument,
    Layers,
    Learning,
    OptionalNumber,
    OptionalPath,
    OptionalShare,
)
from recipes.teaching import Teaching, ask_teacher, taught_by, taught_titles
from scoring.metrics import accuracy
from scoring.temperature import fit_temperature
from titles import LabelledTitles
from training.compression import low_rank
from training.compression.conversion import as_student
from training.compression.distillation import distill
from training.compression.magnitude import prune_magnitude
from training.compression.recovery import RecoverySettings
from training.compression.selection import keep_most_important
from training.run_folder import RUN

Cut = Callable[[StudentClassifier, LabelledTitles], StudentClassifier]
"""A student and labelled titles to measure on, to the student with something taken away."""


@dataclass(frozen=True, kw_only=True)
class Shrinking(Learning):
    """What both verbs take."""

    folder: FolderArgument
    """An encoder or a student."""
    teacher: OptionalPath = None
    """Whose scores are learned, too; by default the model itself, as it was before."""
    recovery: bool = True
    """Whether what is left is trained."""
    teaching: Teaching = Teaching()
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
    magnitude: OptionalShare = None
    """Of the weights, to set to zero."""

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = [self.heads, self.d_ff, self.layers]
        if (self.magnitude is None) == all(part is None for part in parts):
            raise UsageError(
                "pass one or more of --heads, --d-ff and --layers, or else --magnitude"
            )
        if self.magnitude is not None and not 0 <= self.magnitude < 1:
            raise UsageError(f"magnitude must be in [0, 1), not {self.magnitude}")


@dataclass(frozen=True, kw_only=True)
class Factorize(Shrinking):
    """Cut the linear layers of an encoder or a student in two of low rank, and train them.

    A layer stays as it is where two would not be smaller. A run can be interrupted: the same
    command goes on from its last checkpoint.
    """

    energy: OptionalShare = None
    """Of each layer's squared singular values, to keep."""
    budget: OptionalShare = None
    """Of all linear layers' weights together, to keep."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.energy is None) == (self.budget is None):
            raise UsageError("pass --energy or --budget, and not both")
        for name, share in (("energy", self.energy), ("budget", self.budget)):
            if share is not None and not 0 < share <= 1:
                raise UsageError(f"the {name} must lie in (0, 1], not {share}")


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
    teaching = settings.teaching
    models = [path for path in (settings.folder, settings.teacher, *teaching.scores) if path]
    files = [settings.train, settings.dev, *teaching.unlabelled, *teaching.exclude]
    claim_model(settings, [*models, *files])
    if settings.recovery:
        claim_folder(run_folder(settings.output), [*models, *files], RUN, settings.force)
    source = load(settings.folder)
    teacher = load(settings.teacher) if settings.teacher else source
    whole = as_student(source)
    train, dev = read_learning(settings)
    require_classes(train.labels, source, teacher)
    model = cut(whole, train)
    logger.info("%s weights before, %s after", f"{_weights(whole):,}", f"{_weights(model):,}")
    metrics = {
        "dev_accuracy_before": accuracy(whole.predict_proba(dev.titles), dev.label_ids),
        "dev_accuracy_unrecovered": accuracy(model.predict_proba(dev.titles), dev.label_ids),
    }
    used: dict[str, Any] = {"source": named(source)}
    used |= {name: getattr(settings, name) for name in asked}
    if settings.recovery:
        return _recover(settings, source, teacher, model, train, dev, used, metrics)
    scores = model.predict_proba(dev.titles)
    return save_model(
        settings,
        model,
        fit_temperature(scores, dev.label_ids),
        trained_on=train.fingerprint.to_dict(),
        hyperparameters=used,
        metrics=metrics | {"dev_accuracy": metrics["dev_accuracy_unrecovered"]},
        made_from=[*learned_from(train, dev), model_ingredient("source", source)],
    )


def _recover(
    settings: Shrinking,
    source: LoadedModel,
    teacher: LoadedModel,
    model: StudentClassifier,
    train: LabelledTitles,
    dev: LabelledTitles,
    used: dict[str, Any],
    metrics: dict[str, float],
) -> Manifest:
    """Train what is left as a student of the teacher, and save it."""
    training, teaching = settings.training, settings.teaching
    taught = taught_titles(settings, teaching, train, dev)
    scores = ask_teacher(teaching, teacher, taught) if training.alpha else None
    matched = as_student(teacher) if training.hidden_weight else None
    run = run_folder(settings.output)
    result = distill(model, taught.titles, scores, dev, training, run, matched)
    manifest = save_model(
        settings,
        result.classifier,
        result.temperature,
        trained_on=taught.trained_on(),
        hyperparameters={**used, **taught_by(teacher, taught), **asdict(training)},
        metrics=metrics | dev_metrics(result.history),
        made_from=[*taught.ingredients(teacher), model_ingredient("source", source)],
    )
    result.run_folder.clean()
    return manifest


def _weights(student: StudentClassifier) -> int:
    return sum(weight.numel() for weight in student.network.parameters())
