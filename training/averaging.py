"""An exponential moving average of a model's weights, which often scores better than the last.

    average ← d · average + (1 − d) · weights,    d = min(decay, (1 + step) / (10 + step)) ^ k

so that the first, poor weights are soon forgotten; k is how many steps have passed since it was
last taken. The average begins as the starting weights. (torch's `AveragedModel` counts its
updates and not the steps between them.)
"""

from __future__ import annotations

import copy
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

Model = TypeVar("Model", bound=nn.Module)


class WeightAverage(Generic[Model]):
    """Keeps the average in a copy of the model.

    Args:
        decay: a step.
    """

    def __init__(self, model: Model, decay: float):
        self.model, self.decay, self.step = copy.deepcopy(model).requires_grad_(False), decay, 0

    @torch.no_grad()
    def update(self, model: Model, step: int) -> None:
        """Take in the weights after step number `step`, counted from 1."""
        decay = min(self.decay, (1 + step) / (10 + step)) ** (step - self.step)
        averages: list[Tensor] = list(self.model.parameters())
        weights: list[Tensor] = list(model.parameters())
        torch._foreach_lerp_(averages, weights, 1 - decay)
        self.step = step
