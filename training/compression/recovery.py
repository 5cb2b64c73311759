"""What follows a cut: a short training in which what is left makes up for what is gone.

It is distillation, with the model before the cut as the teacher and the cut one as the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.artifact import LoadedModel
from models.student import StudentClassifier
from training.compression.conversion import as_student
from training.compression.distillation import Distilled, DistillSettings, distill
from training.compression.teacher import cached_log_probabilities
from training.finetune import Examples


@dataclass(frozen=True)
class RecoverySettings(DistillSettings):
    """The settings of distillation, with defaults for a model that has most of it already."""

    epochs: int = 2
    """Passes over the titles."""
    batch_size: int = 32
    """Titles a step."""
    learning_rate: float = 5e-5
    """Peak rate of AdamW, at the top of the encoder."""
    warmup_ratio: float = 0.1
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    evaluations_per_epoch: int = 2
    """How often the dev score is taken in an epoch."""
    alpha: float = 0.5
    """Share of the teacher in the loss; the rest is the labels'. 0 = no teacher."""


def recover(
    cut: StudentClassifier,
    teacher: LoadedModel,
    train: Examples,
    dev: Examples,
    settings: RecoverySettings,
    run_folder: Path,
    cache: Path,
    show_progress: bool = True,
) -> Distilled:
    """Train a copy of `cut`, keep the weights best on `dev`, calibrate on `dev`.

    Args:
        teacher: the model before the cut, or a better one.
        run_folder: holds checkpoint, curves and events; an interrupted run goes on from it.
        cache: folder of the scores that models gave.
    Raises:
        UsageError: hidden states shall be compared, but not with such a teacher; or the run folder
            holds a checkpoint of another run.
    """
    scores = None
    if settings.alpha:
        scores = cached_log_probabilities(teacher, train.titles, cache, show_progress)
    hidden = as_student(teacher) if settings.hidden_weight else None
    return distill(cut, train, scores, dev, settings, run_folder, hidden, show_progress)
