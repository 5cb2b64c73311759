"""What the verbs of distillation have in common: a teacher's scores, and titles without labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import source_of
from cli.training import (
    add_cache,
    add_exclude,
    distinct_titles,
    named,
    read_titles,
    say,
    score_store,
)

if TYPE_CHECKING:
    import numpy as np

    from models.artifact import LoadedModel
    from titles import LabelledTitles


def add_teaching(parser: argparse.ArgumentParser) -> None:
    """Options for titles besides the labelled ones, and for where the teacher's scores are."""
    parser.add_argument(
        "--unlabelled",
        action="append",
        default=[],
        metavar="FILE",
        help="more titles for the teacher to label; their own labels are not read; repeatable",
    )
    parser.add_argument(
        "--scores",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="predictions that stand for the teacher's where they have the title, such as those "
        "of models that have not seen it (see 'biaoti data folds'); repeatable",
    )
    add_exclude(parser)
    add_cache(parser)


def taught_titles(
    options: argparse.Namespace, train: LabelledTitles, dev: LabelledTitles
) -> LabelledTitles:
    """The training titles, then the unlabelled ones, none of which leaks from dev or --exclude."""
    held_out = [*train.titles, *dev.titles, *read_titles(options, options.exclude)]
    more = distinct_titles(read_titles(options, options.unlabelled), held_out)
    say(f"{len(train):,} titles with a label, {len(more):,} without")
    return train.with_unlabelled(more)


def teacher_scores(
    options: argparse.Namespace, teacher: LoadedModel, titles: Sequence[str]
) -> np.ndarray:
    """(titles, classes) log-probabilities: from the files given, the teacher's for the others."""
    from scoring.given_scores import read_predictions
    from scoring.teacher_scores import teacher_scores as run

    files = [read_predictions(path, teacher.labels) for path in options.scores]
    scores, given = run(score_store(options), teacher, titles, files)
    say(f"scores of {given.sum():,} titles from files, of {(~given).sum():,} from the teacher")
    return scores


def taught_by(options: argparse.Namespace, teacher: LoadedModel) -> dict[str, Any]:
    """What a manifest says of the teacher."""
    return {"teacher": named(teacher), "scores": [path.name for path in options.scores]}


def taught_on(options: argparse.Namespace, train: LabelledTitles) -> dict[str, Any]:
    """What a manifest says of the titles."""
    from titles import fingerprint

    unlabelled = [fingerprint(source_of(options, name)).to_dict() for name in options.unlabelled]
    return {**train.fingerprint.to_dict(), "unlabelled": unlabelled}
