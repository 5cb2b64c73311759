"""How every recipe begins and ends: what it reads and may write, what it saves and where from."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from models.artifact import Ingredient, LoadedModel, Manifest, Provenance, Route, save
from models.classifier import Scores
from models.errors import DataError, UsageError
from models.labels import Labels
from models.outputs import claim_folder
from models.remark import Remark
from recipes.settings import Learning, Reading, Saving
from scoring.remarks import before_learning, of_lengths, of_scores, of_temperature
from titles import LabelledTitles, Source, objections, read_splits, read_titles, report_text
from titles.protection import role_of

if TYPE_CHECKING:
    from training.history import History

logger = logging.getLogger("biaoti.recipes")


def run_folder(output: Path) -> Path:
    """Where an interrupted run goes on from: beside the model's folder."""
    return output.with_name(output.name + ".run")


def claim_model(settings: Saving, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that would cost somebody something, before any work.

    Args:
        inputs: all that is read, but for the list of classes, which the settings name.
    Raises:
        UsageError: see `models.outputs.claim_folder`.
    """
    reading = getattr(settings, "reading", None)
    labels = [reading.labels] if reading and reading.labels else []
    claim_folder(settings.output, [*map(Path, inputs), *labels], force=settings.force)


class LearningTitles(NamedTuple):
    """What is learned from.

    Attributes:
        remarks: what is remarkable about both.
        made_from: the files, as a manifest names them.
    """

    train: LabelledTitles
    dev: LabelledTitles
    remarks: list[Remark]
    made_from: tuple[Ingredient, ...]


def read_learning(settings: Learning, classes: Labels | None = None) -> LearningTitles:
    """The titles to learn from and those to choose on, in which no row may be unusable.

    What is remarkable about them is said, before anything is learned.

    Args:
        classes: of the model that teaches or is shrunk, with which the data's are matched by name.
    Raises:
        DataError: rows that cannot be used, whose places are logged, or titles of one class.
    """
    reading = settings.reading
    sources = {
        **_numbered("train", reading.sources(settings.train)),
        **_numbered("dev", reading.sources(settings.dev, settings.dev_split)),
    }
    splits, report = read_splits(sources, reading.labels, classes, class_map=reading.meanings())
    if report.errors:
        logger.error(report_text(report))
        files = " ".join([*settings.train, *settings.dev])
        remedy = "\n  ".join(objections(report)) or (
            f"run 'biaoti data check --fix {files}' and train on the cleaned copies"
        )
        raise DataError(f"{len(report.errors):,} rows cannot be used; {remedy}")
    made_from = [data_ingredient(role_of(split), titles) for split, titles in splits.items()]
    if reading.class_map:
        made_from.append(file_ingredient("class-map", reading.class_map))
    train, dev = (
        _joined([titles for split, titles in splits.items() if role_of(split) == role])
        for role in ("train", "dev")
    )
    train.require_two_classes()
    remarks = say(before_learning(train, dev, report))
    return LearningTitles(train, dev, remarks, tuple(made_from))


def _numbered(role: str, sources: Sequence[Source]) -> dict[str, Source]:
    """Splits by name: `train`, `train 2`, `train 3`, …"""
    return {f"{role} {n}" if n > 1 else role: source for n, source in enumerate(sources, 1)}


def _joined(parts: Sequence[LabelledTitles]) -> LabelledTitles:
    """The titles of all newsrooms, called after them."""
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.by_newsroom.newsrooms)
    return LabelledTitles.joined(parts, ", ".join(names))


def say(found: Iterable[Remark]) -> list[Remark]:
    """Tell people what is remarkable, as soon as it is known."""
    said = list(found)
    for remark in said:
        logger.warning("warning: %s", remark)
    return said


def read_all_titles(reading: Reading, names: Iterable[str]) -> list[str]:
    """The titles of some files, their labels unread."""
    return [title for name in names for title in read_titles(reading.source(name))]


def require_classes(labels: Labels, *models: LoadedModel) -> None:
    """Refuse models of other classes than the data's.

    Raises:
        UsageError: names the first of them.
    """
    for model in models:
        if model.labels.names != labels.names:
            raise UsageError(
                f"{model.folder} has the classes {', '.join(model.labels.names)}, but the data has "
                f"{', '.join(labels.names)}; pass the class.txt it was trained with as --labels"
            )


def data_ingredient(role: str, titles: LabelledTitles) -> Ingredient:
    return Ingredient(role, "data", titles.fingerprint.name, titles.fingerprint.sha256)


def file_ingredient(role: str, path: Path) -> Ingredient:
    """A file that is neither titles nor a model of ours, such as an encoder's weights."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return Ingredient(role, "data", f"{path.parent.name}/{path.name}", digest)


def model_ingredient(role: str, model: LoadedModel) -> Ingredient:
    return Ingredient(role, "model", model.manifest.name, model.manifest.version)


def dev_metrics(history: History) -> dict[str, float]:
    """What the best evaluation of a run gave, and how long the run took."""
    best = {f"dev_{name}": value for name, value in history.best.items() if name != "step"}
    return best | {"training_seconds": round(history.seconds, 1)}


def named(model: LoadedModel) -> dict[str, str]:
    """What a manifest's settings say of another model."""
    return {"name": model.manifest.name, "version": model.manifest.version}


def save_model(
    settings: Saving,
    model: Route,
    temperature: float,
    *,
    trained_on: dict[str, Any],
    hyperparameters: dict[str, Any],
    metrics: dict[str, float],
    made_from: Iterable[Ingredient],
    remarks: Iterable[Remark],
) -> Manifest:
    """Write the model's folder, and log what it scores.

    Args:
        remarks: all that was said of its data and its scores.
    """
    provenance = Provenance(trained_on, hyperparameters, metrics, tuple(made_from), tuple(remarks))
    manifest = save(model, settings.output, temperature=temperature, provenance=provenance)
    shown = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
    logger.info("%s: %s %s  %s", settings.output, manifest.route, manifest.version, shown)
    return manifest


def say_of_scores(
    dev: LabelledTitles, scores: Scores, temperature: float, output: Path, most: int | None = None
) -> list[Remark]:
    """Tell people what is remarkable about a model's scores on dev, once they are known.

    Args:
        scores: not calibrated.
        output: where the model will be saved.
        most: tokens of a title that it reads.
    """
    return say(
        [
            *of_scores(dev, scores.probabilities, output.name),
            *of_temperature(temperature, output.name),
            *of_lengths(dev, scores.truncated, output.name, most),
        ]
    )
