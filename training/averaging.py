"""An exponential moving average of a model's weights, which often scores better than the last.

    average ← d · average + (1 − d) · weights,    d = min(decay, (1 + step) / (10 + step))

so that the first, poor weights are soon forgotten. The average begins as the starting weights.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel


def weight_average(model: nn.Module, decay: float) -> AveragedModel:
    """A copy of `model` that `update_parameters(model)`, called after each step, averages."""
    averaged = AveragedModel(model, multi_avg_fn=partial(_lerp, decay))
    averaged.update_parameters(model)  # the starting weights are number 0
    return averaged


@torch.no_grad()
def _lerp(decay: float, average: list[Tensor], weights: list[Tensor], step: Tensor | int) -> None:
    step = int(step)
    torch._foreach_lerp_(average, weights, 1 - min(decay, (1 + step) / (10 + step)))
