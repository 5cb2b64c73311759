"""What follows a cut: a short training in which what is left makes up for what is gone.

It is distillation, from the model before the cut or a better one, and the cut one is the start.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.bounds import PositiveInt, Share, ShareBelowOne
from training.compression.distillation import DistillSettings
from training.settings import PeakRate


@dataclass(frozen=True)
class RecoverySettings(DistillSettings):
    """The settings of distillation, with defaults for a model that has most of it already."""

    epochs: PositiveInt = 2
    """Passes over the titles."""
    batch_size: PositiveInt = 32
    """Titles a step."""
    learning_rate: PeakRate = 5e-5
    """Peak rate of AdamW, at the top of the encoder."""
    warmup_ratio: ShareBelowOne = 0.1
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    evaluations_per_epoch: PositiveInt = 2
    """How often the dev score is taken in an epoch."""
    alpha: Share = 0.5
    """Share of the teacher in the loss; the rest is the labels'. 0 = no teacher."""
