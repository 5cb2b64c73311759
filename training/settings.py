"""How to train: one frozen dataclass, checked when built."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import UsageError
from training.compute import PRECISIONS


@dataclass(frozen=True)
class LoopSettings:
    """How to train. The defaults are those of a full-size BERT."""

    epochs: int = 3
    """Passes over the data."""
    batch_size: int = 32
    """Titles a step."""
    learning_rate: float = 2e-5
    """Peak rate of AdamW, at the top of the encoder."""
    layer_decay: float = 1.0
    """Factor on the rate from each encoder layer to the one below it; 1 = the same everywhere."""
    weight_decay: float = 0.01
    """Of AdamW; biases and LayerNorm are exempt."""
    warmup_ratio: float = 0.1
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    max_grad_norm: float = 1.0
    """The gradient is scaled down to this norm."""
    average_decay: float = 0.0
    """Decay a step of the exponential moving average that is evaluated and kept; 0 = no average."""
    evaluations_per_epoch: int = 1
    """How often the dev score is taken in an epoch."""
    patience: int = 3
    """Evaluations without a better score after which training stops."""
    precision: str = "auto"
    """bf16, fp32, or auto: bf16 where the processor computes in it."""
    checkpoint_seconds: float = 120.0
    """Time between checkpoints."""
    seed: int = 13
    """Of the order of the rows, of dropout and of new weights."""

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch_size, self.evaluations_per_epoch, self.patience) < 1:
            raise UsageError(
                "epochs, batch_size, evaluations_per_epoch and patience must be at least 1"
            )
        if not 0 <= self.warmup_ratio < 1 or not 0 <= self.average_decay < 1:
            raise UsageError("warmup_ratio and average_decay must be in [0, 1)")
        if self.precision not in PRECISIONS:
            raise UsageError(f"precision must be auto, bf16 or fp32, not '{self.precision}'")
