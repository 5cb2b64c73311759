"""What AdamW is told: which weights decay, how fast each layer learns, and the rate's schedule."""

from __future__ import annotations

import re
from typing import Any

from torch import nn


def parameter_groups(
    model: nn.Module, learning_rate: float, weight_decay: float, layer_decay: float = 1.0
) -> list[dict[str, Any]]:
    """Groups for AdamW: no weight decay on biases and LayerNorm, lower rates further down.

    The head learns at `learning_rate`, the encoder's top layer at `layer_decay` times it, and so
    on down to the embeddings.
    """
    depths = {name: _depth(name) for name, _ in model.named_parameters()}
    head = 1 + max((depth for depth in depths.values() if depth is not None), default=0)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        depth = depths[name]
        rate = learning_rate * layer_decay ** (0 if depth is None else head - depth)
        decay = weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [
        {"params": parameters, "lr": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]


def warmup_then_linear(step: int, total_steps: int, warmup_ratio: float) -> float:
    """The factor on the peak rate at `step`: from 0 up to 1, then down to 0 at `total_steps`."""
    warmup = max(1, round(warmup_ratio * total_steps))
    if step < warmup:
        return step / warmup
    return max(0.0, (total_steps - step) / max(1, total_steps - warmup))


def _depth(name: str) -> int | None:
    """Where a parameter lies: 0 = embeddings, n + 1 = encoder layer n, None = head."""
    if re.search(r"\bembeddings?\.", name):
        return 0
    layer = re.search(r"\.layers?\.(\d+)\.", name)
    return int(layer[1]) + 1 if layer else None
