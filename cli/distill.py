"""`biaoti distill`: a small model from what a large one says."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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
    from models.artifact import LoadedModel
    from models.student import StudentClassifier
    from titles import LabelledTitles


def add_to(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "distill",
        distill,
        """
        biaoti distill --teacher artifacts/encoder --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/student
        biaoti distill --teacher artifacts/ensemble --start artifacts/encoder --layers 0,4,8,11 \\
            --vocabulary 8000 --train train.txt --dev dev.txt --unlabelled more.txt \\
            --exclude test.txt --output artifacts/student
        """,
    )
    parser.settings = "training.compression.distillation:DistillSettings"
    parser.add_argument(
        "--teacher", required=True, type=Path, metavar="FOLDER", help="a model of any route"
    )
    add_data(parser)
    add_teaching(parser)
    _add_start(parser)


def distill(options: argparse.Namespace) -> None:
    """Train a small student on labels and on what a teacher says.

    The student starts from some layers of an encoder: of --start, else of the teacher, else of an
    ensemble's first encoder. The teacher's scores are computed once and kept. Unlabelled titles
    that occur in the training or dev file, or in those given with --exclude, are left out. A run
    can be interrupted: the same command goes on from its last checkpoint. Two controls: --alpha 0
    trains the same student without the teacher, --random-weights one that takes nothing over.
    """
    from models.artifact import load
    from training.compression.conversion import as_student
    from training.compression.distillation import distill as run

    settings = build_settings(options)
    teacher = load(options.teacher)
    source = load(options.start) if options.start else _with_transformer(teacher)
    train, dev = training_data(options)
    require_classes(train.labels, teacher, source)
    examples = taught_titles(options, train, dev)
    start, shape = _start(options, as_student(source), train, examples.titles, settings.seed)
    matched = as_student(_with_transformer(teacher)) if settings.hidden_weight else None
    scores = teacher_scores(options, teacher, examples.titles) if settings.alpha else None
    result = run(start, examples, scores, dev, settings, run_folder(options), matched)
    used = {
        **taught_by(options, teacher),
        "start": named(source),
        **shape,
        **asdict(settings),
    }
    trained_on = taught_on(options, train)
    metrics = dev_metrics(result.history)
    save_model(options, result.classifier, result.temperature, trained_on, used, metrics)
    result.run_folder.clean()
    say(f"curves: {run_folder(options) / 'curves.png'}")


def _add_start(parser: VerbParser) -> None:
    group = parser.add_argument_group("what the student starts from")
    group.add_argument(
        "--start", type=Path, metavar="FOLDER", help="an encoder or a student; see above"
    )
    group.add_argument(
        "--layers",
        type=layer_numbers,
        default="4",
        metavar="N|I,J,…",
        help="how many of its layers, evenly spaced, or which ones, counted from 0",
    )
    group.add_argument("--d-ff", type=int, metavar="N", help="neurons a layer keeps; all of them")
    group.add_argument(
        "--vocabulary", type=int, metavar="N", help="pieces the tokenizer keeps; all of them"
    )
    group.add_argument("--dropout", type=float, metavar="SHARE", help="by default that of --start")
    group.add_argument(
        "--width", action="store_true", help="let it count a title's characters and columns, too"
    )
    group.add_argument(
        "--random-weights", action="store_true", help="take over the shape alone: a control"
    )


def _with_transformer(teacher: LoadedModel) -> LoadedModel:
    """The teacher, or the first member of an ensemble, that a student can be cut from."""
    from models.ensemble import EnsembleClassifier

    route = teacher.uncalibrated
    members = route.members.values() if isinstance(route, EnsembleClassifier) else ()
    for model in (teacher, *members):
        if model.manifest.route in ("encoder", "student"):
            return model
    raise UsageError(
        f"{teacher.folder} ({teacher.manifest.route}) has no Transformer for a student to start "
        "from; pass an encoder or a student with --start"
    )


def _start(
    options: argparse.Namespace,
    student: StudentClassifier,
    train: LabelledTitles,
    titles: Sequence[str],
    seed: int,
) -> tuple[StudentClassifier, dict[str, Any]]:
    """The student that the options ask for, and what it was made of, for its manifest."""
    from training.compression import student_start
    from training.compression.vocabulary import prune_vocabulary

    layers = options.layers
    if isinstance(layers, int):
        layers = student_start.evenly_spaced(layers, len(student.config.layers))
    student = student_start.take_layers(student, layers, options.d_ff, train)
    if options.vocabulary:
        pruned = prune_vocabulary(student.tokenizer.tokenizer, titles, options.vocabulary)
        student = student_start.cut_vocabulary(student, *pruned)
    if options.dropout is not None:
        student = student_start.with_dropout(student, options.dropout)
    if options.random_weights:
        student = student_start.randomised(student, seed)
    if options.width and not student.config.reads_width:
        student = student_start.with_width(student)
    shape = {
        "layers": layers,
        "d_ff": options.d_ff,
        "vocabulary": student.config.vocab_size,
        "dropout": options.dropout,
        "width": student.config.reads_width,
        "random_weights": options.random_weights,
    }
    return student, shape
