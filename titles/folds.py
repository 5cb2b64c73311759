"""Cut a labelled file into folds: what a model may learn from, and what it may then be asked.

A title that a model has learned tells nothing when the model is asked for it. Models trained on the
rest of each fold, and asked for the fold, together score a whole training file as if it were new.
"""

from __future__ import annotations

import json
from pathlib import Path

from models.errors import DataError, UsageError
from models.labels import Labels
from models.staging import staged_folder
from titles.normalisation import comparison_key, digest
from titles.rows import Row, read
from titles.source import Source

TRAIN, HELD_OUT = "train.jsonl", "held_out.jsonl"


def write_folds(source: Source, labels: Labels, folds: int, output: Path) -> list[Path]:
    """Write `fold-1` … `fold-n`, each with train.jsonl, held_out.jsonl and class.txt.

    A title's fold is told by the title alone, so that copies of it, exact or but for width, case,
    spaces and punctuation, are held out together.

    Args:
        output: the folder that holds the folds, replaced as a whole or not at all.
    Returns:
        The folders of the folds.
    Raises:
        UsageError: fewer than two folds.
        DataError: a row cannot be used, or a fold would be empty.
    """
    if folds < 2:
        raise UsageError(f"{folds} folds leave nothing to train on; pass 2 or more")
    rows = list(read(source, labels))
    held_out = [fold_of(row.title, folds) for row in rows]
    names = [f"fold-{number}" for number in range(1, folds + 1)]
    with staged_folder(output) as staging:
        for fold, name in enumerate(names):
            parts: tuple[list[Row], list[Row]] = ([], [])
            for row, its_fold in zip(rows, held_out, strict=True):
                parts[its_fold == fold].append(row)
            if not all(parts):
                raise DataError(f"{len(rows)} titles are too few for {folds} folds", source.path)
            (staging / name).mkdir()
            for part, file in zip(parts, (TRAIN, HELD_OUT), strict=True):
                _write(part, labels, staging / name / file)
            classes = "".join(f"{label}\n" for label in labels.names)
            (staging / name / "class.txt").write_text(classes, encoding="utf-8")
    return [output / name for name in names]


def fold_of(title: str, folds: int) -> int:
    """The number of the title's fold, from 0."""
    return int.from_bytes(digest(comparison_key(title))) % folds


def _write(rows: list[Row], labels: Labels, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            assert row.label is not None
            record = {"title": row.title, "label": labels.names[row.label]}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
