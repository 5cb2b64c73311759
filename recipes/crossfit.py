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
from models.errors import UsageError
from models.outputs import OutputKind, claim_folder, lacks
from models.staging import staged_file
from recipes.joining import Ensemble, ensemble
from recipes.saving import logger
from recipes.settings import Folders, Learning, OptionalPath
from scoring.predictions import write_predictions
from scoring.store import ScoreStore
from titles import read, read_unlabelled, write_folds, write_recombined

SETTINGS = "crossfit.json"
CROSSFIT = OutputKind("a crossfit", lacks(SETTINGS), in_place=True)
"""The folder that `crossfit` fills, part by part."""
RouteName = Literal["linear", "fasttext", "nearest", "width", "forest"]


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

    folds: int = 5
    """Folds that the training file is cut into."""
    routes: tuple[RouteName, ...] = ("linear", "fasttext", "nearest")
    """Models trained on each fold's rest, with their default settings."""
    member: Folders = ()
    """A model that joins every fold's teacher as it is, such as an encoder; repeatable."""
    each: Annotated[int, arg(metavar="N")] = 4
    """Titles recombined from each title of a fold; 0 = none."""
    seed: int = 13
    """Decides which parts are recombined."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.folds < 2 or self.each < 0 or not self.routes:
            raise UsageError("folds must be at least 2, each at least 0, and routes name one")


def crossfit(settings: Crossfit) -> list[Path]:
    """Write the scores of every fold; returns their files. Goes on with what is not there yet.

    Raises:
        UsageError: the folder is of a run with other settings or data.
        DataError: titles that cannot be used.
    """
    inputs: list[str | Path] = [settings.train, settings.dev, *settings.member]
    claim_folder(settings.output, inputs, CROSSFIT, settings.force)
    train = read(settings.reading.source(settings.train), settings.reading.labels)
    _claim_run(settings, train.fingerprint.sha256)
    folds = settings.output / "folds"
    if not folds.exists():
        write_folds(train, settings.folds, folds)
    written: list[Path] = []
    for number in range(1, settings.folds + 1):
        written += _score_fold(settings, folds / f"fold-{number}", number)
    _gather_recombined(settings)
    return written


def _claim_run(settings: Crossfit, train_sha256: str) -> None:
    """Refuse to mix two runs in one folder."""
    told = {
        "train": train_sha256,
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


def _score_fold(settings: Crossfit, fold: Path, number: int) -> Iterator[Path]:
    """Train the fold's teacher, ask it for what it has not seen, and write what it says."""
    held_out = read(settings.reading.source(str(fold / "held_out.jsonl")))
    asked = {f"scores-{number}.csv": held_out}
    if settings.each:
        recombined = fold / "recombined.jsonl"
        source = settings.reading.source(str(fold / "held_out.jsonl"))
        write_recombined(source, settings.each, recombined, settings.seed)
        titles = read_unlabelled(settings.reading.source(str(recombined)), held_out.labels)
        asked[f"scores-recombined-{number}.csv"] = titles
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
    models = fold / "models"
    folders = []
    for route in settings.routes:
        folder = models / route
        folders.append(folder)
        if not (folder / MANIFEST).is_file():
            logger.info("%s: training %s", fold.name, route)
            settings_class, train = _recipe(route)
            train(
                settings_class(
                    train=str(fold / "train.jsonl"),
                    dev=settings.dev,
                    dev_split=settings.dev_split,
                    output=folder,
                    reading=settings.reading,
                )
            )
    teacher = models / "teacher"
    if not (teacher / MANIFEST).is_file():
        joined = (*settings.member, *folders)
        ensemble(
            Ensemble(
                models=joined,
                dev=settings.dev,
                output=teacher,
                cache=settings.cache,
                reading=settings.reading,
            )
        )
    return teacher


def _recipe(route: RouteName) -> tuple[Callable[..., Any], Callable[..., Manifest]]:
    """Settings and function of `biaoti train ROUTE`, imported when needed."""
    recipe = import_module(f"recipes.train_{route}")
    name = {"fasttext": "FastText"}.get(route, route.title())
    return getattr(recipe, f"Train{name}"), getattr(recipe, f"train_{route}")


def _gather_recombined(settings: Crossfit) -> None:
    """All folds' recombined titles in one file, for `biaoti distill --unlabelled`."""
    parts = sorted((settings.output / "folds").glob("*/recombined.jsonl"))
    with (
        staged_file(settings.output / "recombined.jsonl") as neighbour,
        neighbour.open("wb") as file,
    ):
        for part in parts:
            file.write(part.read_bytes())
