"""An exponential moving average of a model's weights, which often scores better than the last."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class WeightAverage:
    """Keeps the average beside the model.

        average ← d · average + (1 − d) · weights,    d = min(decay, (1 + step) / (10 + step))

    so that the first, poor weights are soon forgotten. With decay 0 it keeps nothing.
    """

    def __init__(self, model: nn.Module, decay: float):
        self.model, self.decay = model, decay
        self.state: dict[str, Tensor] = {}
        if decay:
            self.state = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the model's weights after step number `step`, counted from 1."""
        if not self.state:
            return
        decay = min(self.decay, (1 + step) / (10 + step))
        weights = dict(self.model.named_parameters())
        for name, average in self.state.items():
            average.lerp_(weights[name], 1 - decay)

    def keep(self) -> None:
        """Leave the model with the average."""
        if self.state:
            self.model.load_state_dict(self.state, strict=False)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block the model holds the average."""
        if not self.state:
            yield
            return
        weights = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        self.keep()
        try:
            yield
        finally:
            self.model.load_state_dict(weights, strict=False)
