"""The optimizer of a training loop: AdamW with clipping and a schedule.

g ← g · min(1, max_norm / ‖g‖)      ‖g‖ over all gradients
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from training.optimization import parameter_groups, warmup_then_linear
from training.settings import LoopSettings


class _ScaledAdamW(torch.optim.AdamW):
    """torch's, with what its fused kernel reads if it is there."""

    grad_scale: Tensor
    """Scalar, by which the gradients are divided."""
    found_inf: Tensor
    """Scalar; unless it is 0, the step is left out."""


class ClippedAdamW:
    """Moves a model's weights by their gradients.

    Clipping takes no pass of its own: AdamW's fused kernel divides each gradient as it reads it.

    Args:
        total_steps: after which the rate is 0.
    """

    def __init__(self, model: nn.Module, settings: LoopSettings, total_steps: int):
        groups = parameter_groups(
            model, settings.learning_rate, settings.weight_decay, settings.layer_decay
        )
        self.max_grad_norm = settings.max_grad_norm
        self.adamw = _ScaledAdamW(groups, fused=True)
        self.schedule = LambdaLR(
            self.adamw, lambda step: warmup_then_linear(step, total_steps, settings.warmup_ratio)
        )
        self.parameters = list(model.parameters())

    @property
    def rate(self) -> float:
        """Of the first group, at the coming step."""
        return float(self.schedule.get_last_lr()[0])

    def step(self) -> None:
        """Move the weights, and forget the gradients."""
        norm = nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None])
        scale = ((norm + 1e-6) / self.max_grad_norm).clamp(min=1.0)
        self.adamw.grad_scale, self.adamw.found_inf = scale, torch.zeros_like(scale)
        self.adamw.step()
        self.schedule.step()
        self.adamw.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"adamw": self.adamw.state_dict(), "schedule": self.schedule.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.adamw.load_state_dict(state["adamw"])
        self.schedule.load_state_dict(state["schedule"])
