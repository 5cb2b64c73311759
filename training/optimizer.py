"""The optimizer of a training loop: AdamW with clipping and a schedule, and a table that waits.

g ← g · min(1, max_norm / ‖g‖)      ‖g‖ over all gradients
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from training.compute import device
from training.embedding_table import BETAS, EPS, EmbeddingTable, large_table
from training.optimization import parameter_groups, warmup_then_linear
from training.settings import LoopSettings


class _ScaledAdamW(torch.optim.AdamW):
    """torch's, with what its fused kernel reads if it is there."""

    grad_scale: Tensor
    """Scalar, by which the gradients are divided."""
    found_inf: Tensor
    """Scalar; unless it is 0, the step is left out."""


class TitleOptimizer:
    """Moves a model's weights by their gradients.

    On a processor, the rows of a large embedding table are moved when they are next read, so that
    a step costs what it reads: `table` is to be handed to `training_step`.

    Args:
        total_steps: after which the rate is 0.
    """

    def __init__(self, model: nn.Module, settings: LoopSettings, total_steps: int):
        groups = parameter_groups(
            model, settings.learning_rate, settings.weight_decay, settings.layer_decay
        )
        self.max_grad_norm = settings.max_grad_norm
        self.adamw = _ScaledAdamW(groups, betas=BETAS, eps=EPS, fused=True)
        self.schedule = LambdaLR(
            self.adamw, lambda step: warmup_then_linear(step, total_steps, settings.warmup_ratio)
        )
        self.parameters = list(model.parameters())
        weight = large_table(model) if device().type == "cpu" else None
        self.table: EmbeddingTable | None = None
        if weight is not None:
            self._place = next(i for i, group in enumerate(groups) if _holds(group, weight))
            self.table = EmbeddingTable(weight, groups[self._place]["weight_decay"])

    @property
    def rate(self) -> float:
        """Of the first group, at the coming step."""
        return float(self.schedule.get_last_lr()[0])

    def step(self) -> None:
        """Move the weights, and forget the gradients."""
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        rows = [] if self.table is None else self.table.gradients
        norm = nn.utils.get_total_norm([*gradients, *rows])
        scale = ((norm + 1e-6) / self.max_grad_norm).clamp(min=1.0)
        self.adamw.grad_scale = scale  # its fused kernel divides by it: no pass of its own to clip
        self.adamw.found_inf = torch.zeros_like(scale)
        self.adamw.step()
        if self.table is not None:
            self.table.step(self.adamw.param_groups[self._place]["lr"], scale.item())
        self.schedule.step()
        self.adamw.zero_grad()

    def settle(self) -> None:
        """Bring every weight up to date, for whoever reads them all."""
        if self.table is not None:
            self.table.settle()

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {
            "adamw": self.adamw.state_dict(),
            "schedule": self.schedule.state_dict(),
            "table": None if self.table is None else self.table.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.adamw.load_state_dict(state["adamw"])
        self.schedule.load_state_dict(state["schedule"])
        if self.table is not None:
            self.table.load_state_dict(state["table"])


def _holds(group: dict[str, Any], weight: nn.Parameter) -> bool:
    return any(parameter is weight for parameter in group["params"])
