"""`biaoti distill`: a small model from what a large one says."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import VerbParser, add_verb, build_settings, source_of
from cli.training import (
    add_cache,
    add_data,
    add_exclude,
    cache_folder,
    dev_metrics,
    distinct_titles,
    layer_numbers,
    named,
    read_titles,
    require_classes,
    run_folder,
    save_model,
    say,
    training_data,
)
from models.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from models.artifact import LoadedModel
    from models.student import StudentClassifier
    from training.finetune import Examples


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
    from training import corpus
    from training.compression.conversion import as_student
    from training.compression.distillation import distill as run
    from training.finetune import Examples

    settings = build_settings(options)
    teacher = load(options.teacher)
    source = load(options.start) if options.start else _with_transformer(teacher)
    labels, sources = training_data(options)
    require_classes(labels, teacher, source)
    train, dev = (Examples(*corpus.load(each, labels)) for each in sources)
    examples = _with_unlabelled(options, train, dev)
    start, shape = _start(options, as_student(source), train, examples.titles, settings.seed)
    matched = as_student(_with_transformer(teacher)) if settings.hidden_weight else None
    scores = None
    if settings.alpha:
        scores = _scores(options, teacher, examples.titles)
    result = run(start, examples, scores, dev, settings, run_folder(options), matched)
    used = {
        "teacher": named(teacher),
        "scores": [path.name for path in options.scores],
        "start": named(source),
        **shape,
        **asdict(settings),
    }
    unlabelled = [corpus.fingerprint(source_of(options, name)) for name in options.unlabelled]
    trained_on = {**corpus.fingerprint(sources[0]), "unlabelled": unlabelled}
    metrics = dev_metrics(result.history)
    save_model(options, result.classifier, result.temperature, trained_on, used, metrics)
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


def _with_unlabelled(options: argparse.Namespace, train: Examples, dev: Examples) -> Examples:
    """The training titles, then the unlabelled ones."""
    from training.compression.distillation import NO_LABEL
    from training.finetune import Examples

    held_out = [*train.titles, *dev.titles, *read_titles(options, options.exclude)]
    more = distinct_titles(read_titles(options, options.unlabelled), held_out)
    say(f"{len(train.titles):,} titles with a label, {len(more):,} without")
    return Examples([*train.titles, *more], [*train.label_ids, *[NO_LABEL] * len(more)])


def _scores(options: argparse.Namespace, teacher: LoadedModel, titles: Sequence[str]) -> np.ndarray:
    """(titles, classes) log-probabilities: from the files given, the teacher's for the others."""
    import numpy as np

    from evaluation.predictions import read_predictions
    from models.calibration import log_probabilities
    from training.compression.teacher import cached_log_probabilities

    known: dict[str, np.ndarray] = {}
    for path in options.scores:
        known |= read_predictions(path, teacher.labels)
    given = np.array([title in known for title in titles])
    scores = np.empty((len(titles), len(teacher.labels)), np.float32)
    asked = [title for title in titles if title not in known]
    scores[~given] = cached_log_probabilities(teacher, asked, cache_folder(options))
    if given.any():
        scores[given] = log_probabilities(np.stack([known[t] for t in titles if t in known]))
    say(f"scores of {given.sum():,} titles from files, of {len(asked):,} from the teacher")
    return scores


def _start(
    options: argparse.Namespace,
    student: StudentClassifier,
    train: Examples,
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
