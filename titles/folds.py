"""Cut a labelled file into folds: what a model may learn from, and what it may then be asked.

A title that a model has learned tells nothing when the model is asked for it. Models trained on the
rest of each fold, and asked for the fold, together score a whole training file as if it were new.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.errors import DataError, UsageError
from models.outputs import OutputKind, holds_others, lacks
from models.staging import staged_folder
from titles.labelled import LabelledTitles
from titles.normalisation import comparison_key, digest
from titles.writing import write_titles

TRAIN, HELD_OUT, CLASSES = "train.jsonl", "held_out.jsonl", "class.txt"


def write_folds(titles: LabelledTitles, folds: int, output: Path) -> list[Path]:
    """Write `fold-1` … `fold-n`, each with train.jsonl, held_out.jsonl and class.txt.

    A title's fold is told by the title alone, so that copies of it, exact or but for width, case,
    spaces and punctuation, are held out together.

    Args:
        output: the folder that holds the folds, replaced as a whole or not at all.
    Returns:
        The folders of the folds.
    Raises:
        UsageError: fewer than two folds.
        DataError: a fold would be empty.
    """
    if folds < 2:
        raise UsageError(f"{folds} folds leave nothing to train on; pass 2 or more")
    its_fold = np.array([fold_of(title, folds) for title in titles.titles])
    if np.unique(its_fold).size < folds:
        raise DataError(
            f"{len(titles)} titles are too few for {folds} folds", titles.fingerprint.name
        )
    names = [f"fold-{number}" for number in range(1, folds + 1)]
    with staged_folder(output) as staging:
        for fold, name in enumerate(names):
            (staging / name).mkdir()
            learned, held_out = np.flatnonzero(its_fold != fold), np.flatnonzero(its_fold == fold)
            write_titles(titles.take(learned), staging / name / TRAIN)
            write_titles(titles.take(held_out), staging / name / HELD_OUT)
            classes = "".join(f"{label}\n" for label in titles.labels.names)
            (staging / name / CLASSES).write_text(classes, encoding="utf-8")
    return [output / name for name in names]


def _no_folds(folder: Path) -> str | None:
    written = (
        f"{fold.name}/{name}"
        for fold in folder.glob("fold-*")
        for name in (TRAIN, HELD_OUT, CLASSES)
    )
    return lacks(f"fold-1/{HELD_OUT}")(folder) or holds_others(folder, written)


FOLDS = OutputKind("a folder of folds", _no_folds)
"""The folder that `write_folds` writes; models trained in it since are not to be lost."""


def fold_of(title: str, folds: int) -> int:
    """The number of the title's fold, from 0."""
    return int.from_bytes(digest(comparison_key(title))) % folds
