"""`biaoti crossfit`: what teachers say of titles that they have not seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import arg

from models.artifact import MANIFEST, Manifest, load
from models.bounds import NonEmpty, Seed, Whole
from models.errors import UsageError
from models.outputs import OutputKind, claim_folder, lacks
from models.staging import staged_file
from recipes.joining import Ensemble, ensemble
from recipes.lessons import read_all_titles, read_learning
from recipes.settings import Files, Folders, Learning, OptionalPath, Reading
from recipes.telling import logger
from scoring.predictions import write_predictions
from scoring.store import ScoreStore
from titles import Source, read, read_unlabelled, write_folds, write_recombined, write_titles
from titles.folds import HELD_OUT, TRAIN

SETTINGS = "crossfit.json"
CROSSFIT = OutputKind("a crossfit", lacks(SETTINGS), in_place=True)
"""The folder that `crossfit` fills, part by part."""
_DEV, _RECOMBINED = "dev.jsonl", "recombined.jsonl"
RouteName = Literal["linear", "fasttext", "nearest", "forest"]


@dataclass(frozen=True, kw_only=True)
class Crossfit(Learning):
    """Score every training title by models that have not seen it.

    A teacher knows its own training titles by heart, and says no more of them than their labels.
    So the training file is cut into folds: for each, cheap models learn the other folds and are
    joined, with the models of --member, into a teacher, which is asked for the fold's titles and
    for new titles recombined from parts of them. 'biaoti distill' learns from the result:
    --scores FOLDER --unlabelled FOLDER/recombined.jsonl. A run can be interrupted: the same
    command goes on with what is not there yet.
    """

    folds: Annotated[int, Whole(least=2)] = 5
    """Folds that the training file is cut into."""
    routes: Annotated[tuple[RouteName, ...], NonEmpty()] = ("linear", "fasttext", "nearest")
    """Models trained on each fold's rest, with their default settings."""
    member: Folders = ()
    """A model that joins every fold's teacher as it is, such as an encoder; repeatable."""
    exclude: Files = ()
    """Titles that are not recombined, such as those of another crossfit; repeatable."""
    each: Annotated[int, arg(metavar="N"), Whole(least=0)] = 4
    """Titles recombined from each title of a fold; 0 = none."""
    seed: Seed = 13
    """Decides which parts are recombined."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""


def crossfit(settings: Crossfit) -> list[Path]:
    """Write the scores of every fold; returns their files. Goes on with what is not there yet.

    Raises:
        UsageError: the folder is of a run with other settings or data.
        DataError: titles that cannot be used.
    """
    _refuse_newsrooms(settings)
    inputs: list[str | Path] = [*settings.learned_files, *settings.member, *settings.exclude]
    claim_folder(settings.output, inputs, CROSSFIT, settings.force)
    lesson = read_learning(settings)
    train, dev = lesson.train, lesson.dev
    _claim_run(settings, train.fingerprint.sha256, dev.fingerprint.sha256)
    folds = settings.output / "folds"
    if not folds.exists():
        write_folds(train, settings.folds, folds)
    write_titles(dev, settings.output / _DEV)
    excluded = {*train.titles, *read_all_titles(settings.reading, settings.exclude)}
    written: list[Path] = []
    for number in range(1, settings.folds + 1):
        written += _score_fold(settings, folds / f"fold-{number}", number, excluded)
    _gather_recombined(settings)
    return written


def _refuse_newsrooms(settings: Crossfit) -> None:
    """Raises:
    UsageError: several files, or labels that a class map explains: folds would lose what they mean.
    """
    if max(len(settings.train), len(settings.dev)) > 1 or settings.reading.class_map:
        raise UsageError(
            "crossfit takes one --train and one --dev whose labels are the classes; crossfit each "
            "newsroom on its own, and pass all folders to 'biaoti distill --scores'"
        )


def _claim_run(settings: Crossfit, train_sha256: str, dev_sha256: str) -> None:
    """Refuse to mix two runs in one folder."""
    told = {
        "train": train_sha256,
        "dev": dev_sha256,
        "folds": settings.folds,
        "routes": list(settings.routes),
        "members": [load(folder).manifest.version for folder in settings.member],
        "each": settings.each,
        "seed": settings.seed,
    }
    path = settings.output / SETTINGS
    if path.is_file() and (before := json.loads(path.read_text(encoding="utf-8"))) != told:
        differing = [name for name in told if before.get(name) != told[name]]
        raise UsageError(
            f"{settings.output} is of a run with another {', '.join(differing)}; pass the same to "
            "go on with it, or another --output"
        )
    with staged_file(path) as neighbour:
        neighbour.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _score_fold(settings: Crossfit, fold: Path, number: int, excluded: set[str]) -> Iterator[Path]:
    """Train the fold's teacher, ask it for what it has not seen, and write what it says.

    Args:
        excluded: titles that may not be recombined; this fold's are added, since two folds that
            made the same would score it by two teachers.
    """
    held_out = read(Source(fold / HELD_OUT))
    asked = {f"scores-{number}.csv": held_out}
    if settings.each:
        path = fold / _RECOMBINED
        source, seed = Source(fold / HELD_OUT), settings.seed
        if write_recombined(source, settings.each, path, seed, excluded):
            recombined = read_unlabelled(Source(path), held_out.labels)
            excluded.update(recombined.titles)
            asked[f"scores-recombined-{number}.csv"] = recombined
    with load(_teacher(settings, fold)) as teacher:
        store = ScoreStore(settings.cache)
        for name, titles in asked.items():
            path = settings.output / name
            scores = store.calibrated(teacher, titles.titles)
            write_predictions(path, teacher.manifest, titles, scores)
            logger.info("%s: %s titles", path, f"{len(titles):,}")
            yield path


def _teacher(settings: Crossfit, fold: Path) -> Path:
    """The folder of the fold's teacher, trained where it is not there yet."""
    dev, reading = str(settings.output / _DEV), Reading(labels=fold / "class.txt")
    folders = [fold / "models" / route for route in settings.routes]
    for route, folder in zip(settings.routes, folders, strict=True):
        if not (folder / MANIFEST).is_file():
            logger.info("%s: training %s", fold.name, route)
            settings_class, train = _recipe(route)
            data = str(fold / TRAIN)
            train(settings_class(train=(data,), dev=(dev,), output=folder, reading=reading))
    teacher = fold / "models" / "teacher"
    if not (teacher / MANIFEST).is_file():
        members = (*settings.member, *folders)
        cache = settings.cache
        ensemble(Ensemble(models=members, dev=(dev,), output=teacher, cache=cache, reading=reading))
    return teacher


def _recipe(route: RouteName) -> tuple[Callable[..., Any], Callable[..., Manifest]]:
    """Settings and function of `biaoti train ROUTE`, imported when needed."""
    recipe = import_module(f"recipes.train_{route}")
    name = {"fasttext": "FastText"}.get(route, route.title())
    return getattr(recipe, f"Train{name}"), getattr(recipe, f"train_{route}")


def _gather_recombined(settings: Crossfit) -> None:
    """All folds' recombined titles in one file, for `biaoti distill --unlabelled`."""
    parts = sorted((settings.output / "folds").glob(f"*/{_RECOMBINED}"))
    with (
        staged_file(settings.output / _RECOMBINED) as neighbour,
        neighbour.open("wb") as file,
    ):
        for part in parts:
            file.write(part.read_bytes())
