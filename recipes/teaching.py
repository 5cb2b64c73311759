"""What learning from a teacher has in common: titles without labels, and the teacher's scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.artifact import Ingredient, LoadedModel
from recipes.saving import data_ingredient, learned_from, logger, model_ingredient, named
from recipes.settings import Files, Folders, Learning, OptionalPath
from scoring.given_scores import Predictions, read_predictions
from scoring.store import ScoreStore
from scoring.teacher_scores import teacher_scores
from titles import LabelledTitles, distinct_titles, read_titles, read_unlabelled


@dataclass(frozen=True, kw_only=True)
class Teaching:
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


@dataclass(frozen=True)
class Taught:
    """The titles to learn from: those with a label first, then those without.

    Attributes:
        more: the files of unlabelled titles.
        given: scores that stand for the teacher's.
    """

    titles: LabelledTitles
    train: LabelledTitles
    dev: LabelledTitles
    more: tuple[LabelledTitles, ...]
    given: tuple[Predictions, ...]

    def trained_on(self) -> dict[str, Any]:
        """What a manifest says of the titles."""
        more = [each.fingerprint.to_dict() for each in self.more]
        return {**self.train.fingerprint.to_dict(), "unlabelled": more}

    def ingredients(self, teacher: LoadedModel) -> tuple[Ingredient, ...]:
        """What the student is made from, but for its start."""
        return (
            *learned_from(self.train, self.dev),
            *(data_ingredient("unlabelled", each) for each in self.more),
            *(Ingredient("scores", "scores", each.path.name, each.sha256) for each in self.given),
            model_ingredient("teacher", teacher),
        )


def taught_titles(
    settings: Learning, teaching: Teaching, train: LabelledTitles, dev: LabelledTitles
) -> Taught:
    """The training titles, then the unlabelled ones, none of which leaks from dev or --exclude.

    Raises:
        DataError: a file of titles or of scores that cannot be used.
    """
    source = settings.reading.source
    held_out = [*train.titles, *dev.titles]
    held_out += [title for name in teaching.exclude for title in read_titles(source(name))]
    more = tuple(read_unlabelled(source(name), train.labels) for name in teaching.unlabelled)
    distinct = distinct_titles([title for each in more for title in each.titles], held_out)
    given = tuple(read_predictions(path, train.labels) for path in _files(teaching.scores))
    logger.info("%s titles with a label, %s without", f"{len(train):,}", f"{len(distinct):,}")
    return Taught(train.with_unlabelled(distinct), train, dev, more, given)


def ask_teacher(teaching: Teaching, teacher: LoadedModel, taught: Taught) -> np.ndarray:
    """(titles, classes) log-probabilities: from the files given, the teacher's for the others."""
    store = ScoreStore(teaching.cache)
    scores, given = teacher_scores(store, teacher, taught.titles.titles, taught.given)
    counts = f"{given.sum():,}", f"{(~given).sum():,}"
    logger.info("scores of %s titles from files, of %s from the teacher", *counts)
    return scores


def taught_by(teacher: LoadedModel, taught: Taught) -> dict[str, Any]:
    """What a manifest's settings say of the teacher."""
    return {"teacher": named(teacher), "scores": [each.path.name for each in taught.given]}


def _files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and those that 'biaoti crossfit' wrote into a folder named."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.glob("scores-*.csv")) if path.is_dir() else [path]
    return found
