"""How to train: one frozen dataclass, checked when built."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

from models.bounds import (
    Bounds,
    Checked,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    PositiveShare,
    Seed,
    Share,
    ShareBelowOne,
    Whole,
)
from training.compute import Precision

PeakRate = PositiveShare
"""A learning rate; above 1 AdamW moves a weight by more than most weights are."""
TokensRead = Annotated[int, Whole(least=3)]
"""Tokens of a title: one at least between the two specials."""


@dataclass(frozen=True)
class LoopSettings(Checked):
    """How to train. The defaults are those of a full-size BERT."""

    epochs: PositiveInt = 3
    """Passes over the data."""
    batch_size: PositiveInt = 32
    """Titles a step."""
    learning_rate: PeakRate = 2e-5
    """Peak rate of AdamW, at the top of the encoder."""
    layer_decay: PositiveShare = 1.0
    """Factor on the rate from each encoder layer to the one below it; 1 = the same everywhere."""
    weight_decay: ShareBelowOne = 0.01
    """Of AdamW; biases and LayerNorm are exempt."""
    warmup_ratio: ShareBelowOne = 0.1
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    max_grad_norm: Annotated[float, Bounds(above=0, besides=(inf,))] = 1.0
    """The gradient is scaled down to this norm; inf = it is left as it is."""
    average_decay: ShareBelowOne = 0.0
    """Decay a step of the exponential moving average that is evaluated and kept; 0 = no average."""
    evaluations_per_epoch: PositiveInt = 1
    """How often the dev score is taken in an epoch."""
    patience: PositiveInt = 3
    """Evaluations without a better score after which training stops."""
    precision: Precision = "auto"
    """bf16, fp32, or auto: bf16 where the processor computes in it."""
    checkpoint_seconds: Annotated[float, Bounds(least=0, besides=(inf,))] = 120.0
    """Time between checkpoints; inf = none before the end."""
    seed: Seed = 13
    """Of the order of the rows, of dropout and of new weights."""


@dataclass(frozen=True)
class ClassifierSettings(LoopSettings):
    """The loop's settings, and what is asked of all that learn classes from titles."""

    max_length: TokensRead = 64
    """Tokens of a title that are read, specials included; longer ones are cut."""
    outside_weight: NonNegativeFloat = 0.5
    """Weight of the titles outside all classes, which teach that nothing is likely."""
    newsroom_balance: Share = 0.0
    """How far small newsrooms are read more often than their titles are: n titles count as
    n^(1 - balance); 0 = as they are, 1 = all newsrooms alike."""
    label_balance: Share = 0.0
    """The same for the labels within a newsroom."""
    epoch_titles: NonNegativeInt = 0
    """Titles read in an epoch, drawn from all; 0 = as many as there are."""
    augmentation: Share = 0.0
    """Share of the titles that are read in another form: bracketed, with a tail, cut, and so on."""
