"""`biaoti prune` and `biaoti factorize`: take something away, then train what is left."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import VerbParser, add_verb, build_settings
from cli.teaching import add_teaching, taught_by, taught_on, taught_titles, teacher_scores
from cli.training import (
    add_data,
    dev_metrics,
    layer_numbers,
    named,
    require_classes,
    run_folder,
    save_model,
    say,
    training_data,
)
from models.errors import UsageError

if TYPE_CHECKING:
    from models.student import StudentClassifier
    from titles import LabelledTitles

Cut = Callable[["StudentClassifier", "LabelledTitles"], "StudentClassifier"]
"""A student and labelled titles to measure on, to the student with something taken away."""


def add_to(verbs: Any) -> None:
    _add_prune(verbs)
    _add_factorize(verbs)


def prune(options: argparse.Namespace) -> None:
    """Take heads, neurons or layers out of an encoder or a student, and train what is left.

    What stays is what the loss on training titles depends on most: heads and neurons are ranked
    by its gradient, layers by leaving each out in turn. The result is a smaller, dense student.
    It learns from labels and --teacher as in 'biaoti distill'.
    With --magnitude, single weights become zero instead, which makes a model neither smaller nor
    faster. A run can be interrupted: the same command goes on from its last checkpoint.
    """
    from training.compression.magnitude import prune_magnitude
    from training.compression.selection import keep_most_important

    def cut(student: StudentClassifier, train: LabelledTitles) -> StudentClassifier:
        if options.magnitude is not None:
            return prune_magnitude(student, options.magnitude)
        by_layer = not options.across_layers
        return keep_most_important(
            student, train, options.heads, options.d_ff, options.layers, by_layer
        )

    parts = [options.heads, options.d_ff, options.layers]
    if (options.magnitude is None) == all(part is None for part in parts):
        raise UsageError("pass one or more of --heads, --d-ff and --layers, or else --magnitude")
    _shrink(options, cut, ("heads", "d_ff", "layers", "across_layers", "magnitude"))


def factorize(options: argparse.Namespace) -> None:
    """Cut the linear layers of an encoder or a student in two of low rank, and train them.

    A layer stays as it is where two would not be smaller. A run can be interrupted: the same
    command goes on from its last checkpoint.
    """
    from training.compression import low_rank

    def cut(student: StudentClassifier, _: LabelledTitles) -> StudentClassifier:
        if options.energy is not None:
            ranks = low_rank.ranks_by_energy(student, options.energy)
        else:
            ranks = low_rank.ranks_by_budget(student, options.budget)
        for name, rank in ranks.items():
            say(f"{name}: rank {rank}")
        return low_rank.factorize_layers(student, ranks)

    _shrink(options, cut, ("energy", "budget"))


def _shrink(options: argparse.Namespace, cut: Cut, asked: tuple[str, ...]) -> None:
    """From the folder's model to what `cut` leaves of it, trained again and saved.

    Args:
        asked: the options that say what is cut, for the manifest.
    """
    from models.artifact import load
    from scoring.metrics import accuracy
    from scoring.temperature import fit_temperature
    from training.compression.conversion import as_student
    from training.compression.distillation import distill

    settings = build_settings(options)
    source = load(options.folder)
    teacher = load(options.teacher) if options.teacher else source
    train, dev = training_data(options)
    require_classes(train.labels, source, teacher)
    whole = as_student(source)
    model = cut(whole, train)
    scores = model.predict_proba(dev.titles)
    metrics = {
        "dev_accuracy_before": accuracy(whole.predict_proba(dev.titles), dev.label_ids),
        "dev_accuracy_unrecovered": accuracy(scores, dev.label_ids),
    }
    used = {"source": named(source)} | {name: getattr(options, name) for name in asked}
    say(f"{_weights(whole):,} weights before, {_weights(model):,} after")
    if options.recovery:
        examples = taught_titles(options, train, dev)
        taught = teacher_scores(options, teacher, examples.titles) if settings.alpha else None
        matched = as_student(teacher) if settings.hidden_weight else None
        result = distill(model, examples, taught, dev, settings, run_folder(options), matched)
        model = result.classifier
        metrics |= dev_metrics(result.history)
        used |= {**taught_by(options, teacher), **asdict(settings)}
        temperature = result.temperature
        trained_on = taught_on(options, train)
    else:
        metrics["dev_accuracy"] = metrics["dev_accuracy_unrecovered"]
        temperature = fit_temperature(scores, dev.label_ids)
        trained_on = train.fingerprint.to_dict()
    save_model(options, model, temperature, trained_on, used, metrics)
    if options.recovery:
        result.run_folder.clean()


def _weights(student: StudentClassifier) -> int:
    return sum(weight.numel() for weight in student.network.parameters())


def _add_prune(verbs: Any) -> None:
    parser = _add_shrinking(
        verbs,
        "prune",
        prune,
        """
        biaoti prune artifacts/encoder --layers 6 --heads 6 --d-ff 512 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/pruned
        biaoti prune artifacts/encoder --magnitude 0.5 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/sparse
        """,
    )
    group = parser.add_argument_group("what is kept")
    group.add_argument("--heads", type=int, metavar="N", help="attention heads in each layer")
    group.add_argument("--d-ff", type=int, metavar="N", help="feed-forward neurons in each layer")
    group.add_argument(
        "--layers",
        type=layer_numbers,
        metavar="N|I,J,…",
        help="how many layers, or which ones, counted from 0",
    )
    group.add_argument(
        "--across-layers",
        action="store_true",
        help="rank heads and neurons of all layers together: --heads and --d-ff are averages",
    )
    group.add_argument(
        "--magnitude", type=float, metavar="SHARE", help="of the weights, to set to zero"
    )


def _add_factorize(verbs: Any) -> None:
    parser = _add_shrinking(
        verbs,
        "factorize",
        factorize,
        """
        biaoti factorize artifacts/encoder --energy 0.9 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/factorized
        biaoti factorize artifacts/pruned --budget 0.5 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/pruned-factorized
        """,
    )
    group = parser.add_argument_group("what is kept").add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--energy", type=float, metavar="SHARE", help="of each layer's squared singular values"
    )
    group.add_argument(
        "--budget", type=float, metavar="SHARE", help="of all linear layers' weights together"
    )


def _add_shrinking(verbs: Any, name: str, run: Any, examples: str) -> VerbParser:
    parser = add_verb(verbs, name, run, examples)
    parser.settings = "training.compression.recovery:RecoverySettings"
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an encoder or a student")
    add_data(parser)
    parser.add_argument(
        "--teacher",
        type=Path,
        metavar="FOLDER",
        help="whose scores are learned, too; by default the model itself, as it was before",
    )
    parser.add_argument(
        "--recovery",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="train what is left; by default it is trained",
    )
    add_teaching(parser)
    return parser
