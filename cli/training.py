"""What the verbs that train have in common: the titles they read, the folders they write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import add_source, source_of
from models.errors import DataError, UsageError

if TYPE_CHECKING:
    from models.artifact import LoadedModel, Route
    from models.labels import Labels
    from scoring.store import ScoreStore
    from titles import LabelledTitles
    from training.history import History


def add_data(parser: argparse.ArgumentParser) -> None:
    """Options for the titles to learn from, and for the model's folder."""
    parser.add_argument("--train", required=True, metavar="FILE", help="titles to learn from")
    parser.add_argument(
        "--dev", required=True, metavar="FILE", help="titles to choose and calibrate on"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the model is saved"
    )
    add_source(parser)
    parser.add_argument(
        "--dev-split", metavar="NAME", help="split of a dataset that --dev means, where not --split"
    )


def add_exclude(parser: argparse.ArgumentParser) -> None:
    """The option for titles that may not be learned from."""
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="FILE",
        help="titles to leave out; repeatable",
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    """The option for the folder of the scores that models gave."""
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FOLDER",
        help="where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores",
    )


def score_store(options: argparse.Namespace) -> ScoreStore:
    """Where the scores of models are kept."""
    from scoring.store import ScoreStore

    return ScoreStore(options.cache)


def training_data(options: argparse.Namespace) -> tuple[LabelledTitles, LabelledTitles]:
    """The titles to learn from and those to choose on; no row may be unusable."""
    from titles import read_splits, report_text

    train = source_of(options, options.train)
    dev = source_of(options, options.dev, options.dev_split)
    splits, report = read_splits({"train": train, "dev": dev}, options.labels)
    if report.errors:
        print(report_text(report), file=sys.stderr)
        raise DataError(
            f"{len(report.errors)} rows cannot be used; run 'biaoti data check --fix "
            f"{options.train} {options.dev}' and train on the cleaned copies"
        )
    return splits["train"], splits["dev"]


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


def named(model: LoadedModel) -> dict[str, str]:
    """What a manifest says of another model."""
    return {"name": model.manifest.name, "version": model.manifest.version}


def read_titles(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """The titles of some files, their labels unread."""
    from titles import read_titles as read

    return [title for name in names for title in read(source_of(options, name))]


def distinct_titles(titles: Iterable[str], held_out: Iterable[str]) -> list[str]:
    """The titles, each once and in a fixed order, without those that leak from `held_out`."""
    from titles import leaked

    distinct = sorted(set(titles))
    return [t for t, out in zip(distinct, leaked(distinct, held_out), strict=True) if not out]


def run_folder(options: argparse.Namespace) -> Path:
    """Where an interrupted run goes on from: beside the model's folder."""
    return options.output.with_name(options.output.name + ".run")


def dev_metrics(history: History) -> dict[str, float]:
    """What the best evaluation of a run gave, and how long the run took."""
    best = {f"dev_{name}": value for name, value in history.best.items() if name != "step"}
    return best | {"training_seconds": round(history.seconds, 1)}


def layer_numbers(text: str) -> int | list[int]:
    """What --layers says: `4` is how many, `0,4,8,11` are which ones.

    Raises:
        UsageError: something else.
    """
    try:
        numbers = [int(number) for number in text.split(",")]
    except ValueError as error:
        raise UsageError(
            f"--layers is a number, or several as in 0,4,8,11; not '{text}'"
        ) from error
    return numbers if len(numbers) > 1 else numbers[0]


def say(stage: str) -> None:
    """Tell on standard error what is being done."""
    print(stage, file=sys.stderr)


def save_model(
    options: argparse.Namespace,
    model: Route,
    temperature: float,
    trained_on: dict[str, Any],
    settings: dict[str, Any],
    metrics: dict[str, float],
) -> None:
    """Write the model's folder, and say what it scores."""
    from models.artifact import Provenance, save

    provenance = Provenance(trained_on, settings, metrics)
    manifest = save(model, options.output, temperature=temperature, provenance=provenance)
    shown = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
    say(f"{options.output}: {manifest.route} {manifest.version}  {shown}")
