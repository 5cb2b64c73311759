"""`biaoti distill`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from models.artifact import Manifest, load
from models.bounds import Bounds, Checked
from models.student import StudentClassifier
from recipes.ingredients import model_ingredient, named
from recipes.lessons import read_learning, require_classes
from recipes.settings import Folder, Layers, OptionalNumber, OptionalPath, OptionalShare
from recipes.teaching import (
    TaughtLearning,
    claim_student,
    taught_titles,
    train_student,
    with_transformer,
)
from titles import LabelledTitles
from training.compression import student_start
from training.compression.conversion import as_student
from training.compression.vocabulary import prune_vocabulary


@dataclass(frozen=True, kw_only=True)
class Start(Checked):
    """What the student starts from."""

    start: OptionalPath = None
    """An encoder or a student; by default the teacher, or an ensemble's first encoder."""
    layers: Layers = 4
    """How many of its layers, evenly spaced, or which ones, counted from 0."""
    d_ff: OptionalNumber = None
    """Neurons that a layer keeps."""
    vocabulary: OptionalNumber = None
    """Pieces that the tokenizer keeps."""
    dropout: Annotated[OptionalShare, Bounds(least=0, below=1)] = None
    """Share of activations set to 0 in training; by default that of --start."""
    width: bool = False
    """Let it count a title's characters and columns, too."""
    random_weights: bool = False
    """Take over the shape alone: a control."""


@dataclass(frozen=True, kw_only=True)
class Distill(TaughtLearning):
    """Train a small student on labels and on what a teacher says.

    The student starts from some layers of an encoder: of --start, else of the teacher, else of an
    ensemble's first encoder. The teacher's scores are computed once and kept. Unlabelled titles
    that occur in the training or dev file, or in those given with --exclude, are left out. A run
    can be interrupted: the same command goes on from its last checkpoint. Two controls: --alpha 0
    trains the same student without the teacher, --random-weights one that takes nothing over.
    """

    teacher: Folder
    """A model of any route."""
    shape: Start = Start()


def distill(settings: Distill) -> Manifest:
    """Train a student, calibrate on dev, save; goes on from its last checkpoint.

    Raises:
        UsageError: models, data and settings do not fit each other.
        DataError: titles or scores that cannot be used.
    """
    shape = settings.shape
    claim_student(settings, settings.teacher, shape.start)
    with load(settings.teacher) as teacher:
        source = load(shape.start) if shape.start else with_transformer(teacher)
        whole = as_student(source)
        lesson = read_learning(settings, teacher.labels)
        train = lesson.train
        require_classes(train.labels, teacher, source)
        taught = taught_titles(settings, lesson)
        start, used = cut_start(whole, shape, train, taught.titles.titles, settings.training.seed)
        origin = model_ingredient("start", source)
        return train_student(
            settings, start, teacher, taught, origin, {"start": named(source), **used}
        )


def cut_start(
    student: StudentClassifier,
    shape: Start,
    train: LabelledTitles,
    titles: Sequence[str],
    seed: int,
) -> tuple[StudentClassifier, dict[str, Any]]:
    """The student that is asked for, and what it was made of, for its manifest."""
    layers = shape.layers
    if layers is None:
        layers = len(student.config.layers)
    if isinstance(layers, int):
        layers = tuple(student_start.evenly_spaced(layers, len(student.config.layers)))
    student = student_start.take_layers(student, layers, shape.d_ff, train)
    if shape.vocabulary:
        pruned = prune_vocabulary(student.tokenizer.tokenizer, titles, shape.vocabulary)
        student = student_start.cut_vocabulary(student, *pruned)
    if shape.dropout is not None:
        student = student_start.with_dropout(student, shape.dropout)
    if shape.random_weights:
        student = student_start.randomised(student, seed)
    if shape.width and not student.config.reads_width:
        student = student_start.with_width(student)
    return student, {
        "layers": list(layers),
        "d_ff": shape.d_ff,
        "vocabulary": student.config.vocab_size,
        "dropout": shape.dropout,
        "width": student.config.reads_width,
        "random_weights": shape.random_weights,
    }
