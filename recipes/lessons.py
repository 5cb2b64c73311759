"""The titles that a recipe learns from, chooses on, or scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from models.artifact import Ingredient, LoadedModel
from models.errors import DataError, UsageError
from models.labels import Labels
from models.remark import Remark
from recipes.ingredients import data_ingredient, file_ingredient
from recipes.settings import Learning, Reading
from recipes.telling import logger, say
from scoring.remarks import before_learning
from titles import LabelledTitles, Source, objections, read, read_splits, read_titles, report_text
from titles.protection import numbered, role_of


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
        **_splits("train", reading.sources(settings.train)),
        **_splits("dev", reading.sources(settings.dev, settings.dev_split)),
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


def read_labelled(reading: Reading, names: Sequence[str], labels: Labels) -> LabelledTitles:
    """Titles to score with a model, of one file or of several newsrooms.

    Args:
        labels: the model's.
    Raises:
        DataError: a row cannot be used.
    """
    sources, class_map = reading.sources(names), reading.meanings()
    if len(sources) == 1 and class_map is None:
        return read(sources[0], reading.labels, labels)
    splits, report = read_splits(
        _splits("test", sources), reading.labels, labels, class_map=class_map
    )
    if report.errors:
        first = report.errors[0]
        raise DataError(first.message, first.path, first.line)
    return _joined(list(splits.values()))


def _splits(role: str, sources: Sequence[Source]) -> dict[str, Source]:
    """The files of one role by names of their own."""
    return dict(zip(numbered([role] * len(sources)), sources, strict=True))


def _joined(parts: Sequence[LabelledTitles]) -> LabelledTitles:
    """The titles of all newsrooms, called after them."""
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.by_newsroom.newsrooms)
    return LabelledTitles.joined(parts, ", ".join(names))


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
