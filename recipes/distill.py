"""`biaoti distill`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import torch

from models.artifact import Ingredient, LoadedModel, Manifest, load
from models.bounds import Bounds, Checked
from models.errors import UsageError
from models.manifest import MANIFEST
from models.student import StudentClassifier
from recipes.ingredients import encoder_ingredients, model_ingredient, named
from recipes.lessons import read_learning, require_classes
from recipes.settings import Layers, OptionalName, OptionalNumber, OptionalPath, OptionalShare
from recipes.teaching import (
    Taught,
    TaughtLearning,
    claim_student,
    taught_titles,
    train_student,
    with_transformer,
)
from titles import LabelledTitles
from training.compression import student_start
from training.compression.conversion import as_student, encoder_as_student
from training.compression.vocabulary import prune_vocabulary
from training.finetune import HEAD_SEED, open_encoder
from training.pretrained import resolve


@dataclass(frozen=True, kw_only=True)
class Start(Checked):
    """What the student starts from."""

    start: OptionalName = None
    """An encoder or a student, or a pretrained encoder as 'train encoder' takes it; by default the
    teacher, or an ensemble's first encoder."""
    layers: Layers = 4
    """How many of its layers, evenly spaced, or which ones, counted from 0."""
    d_ff: OptionalNumber = None
    """Neurons that a layer keeps."""
    vocabulary: OptionalNumber = None
    """Pieces that the tokenizer keeps."""
    dropout: Annotated[OptionalShare, Bounds(least=0, below=1)] = None
    """Share of activations set to 0 in training; by default that of --start."""
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

    teacher: OptionalPath = None
    """A model of any route; may be left out with --alpha 0."""
    shape: Start = Start()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.teacher is None and self.training.alpha:
            raise UsageError("pass --teacher, or --alpha 0 to learn from the labels alone")
        if self.teacher is None and self.shape.start is None:
            raise UsageError("without --teacher, say with --start what the student starts from")


def distill(settings: Distill) -> Manifest:
    """Train a student, calibrate on dev, save; goes on from its last checkpoint.

    Raises:
        UsageError: models, data and settings do not fit each other.
        DataError: titles or scores that cannot be used.
        PretrainedError: the encoder to start from cannot be had.
    """
    shape, training = settings.shape, settings.training
    claim_student(settings, settings.teacher, shape.start)
    with ExitStack() as opened:
        teacher = opened.enter_context(load(settings.teacher)) if settings.teacher else None
        lesson = read_learning(settings, teacher.labels if teacher else None)
        if teacher:
            require_classes(lesson.train.labels, teacher)
        taught = taught_titles(settings, lesson)
        whole, origins, name = _whole(settings, teacher, taught)
        titles = taught.titles.titles
        start, used = cut_start(whole, shape, lesson.train, titles, training.seed)
        return train_student(settings, start, teacher, taught, origins, {"start": name, **used})


def _whole(
    settings: Distill, teacher: LoadedModel | None, taught: Taught
) -> tuple[StudentClassifier, list[Ingredient], dict[str, str]]:
    """What the student is cut from, and how a manifest names it.

    Raises:
        UsageError: it has no Transformer, or other classes than the titles.
        PretrainedError: it cannot be had.
    """
    name = settings.shape.start
    if name and not (Path(name) / MANIFEST).exists():
        folder = resolve(name, chain(taught.titles.titles, taught.dev.titles))
        torch.manual_seed(HEAD_SEED)
        encoder = open_encoder(folder, taught.train.labels, settings.training.max_length)
        return encoder_as_student(encoder, folder), encoder_ingredients(folder), {"name": name}
    source = load(name) if name else with_transformer(teacher)
    require_classes(taught.train.labels, source)
    return as_student(source), [model_ingredient("start", source)], named(source)


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
    if student.config.reads_width:  # as earlier revisions taught it: a newsroom's habit
        student = student.with_(replace(student.config, reads_width=False))
    if shape.random_weights:
        student = student_start.randomised(student, seed)
    return student, {
        "layers": list(layers),
        "d_ff": shape.d_ff,
        "vocabulary": student.config.vocab_size,
        "dropout": shape.dropout,
        "random_weights": shape.random_weights,
    }
