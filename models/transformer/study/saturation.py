"""Why scores are divided by √d_k: without it the softmax saturates, and nothing is learned.

    Var(q · k) = d_k  for independent components of variance 1, so |q · k| grows as √d_k

The softmax of such scores is all but one-hot, and where it is, ∂wᵢ/∂sⱼ = wᵢ (δᵢⱼ − wⱼ) vanishes.
Source: Vaswani et al. 2017, section 3.2.1 and its footnote 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from matplotlib import pyplot as plt

from models.transformer.attention import softmax_of_visible
from models.transformer.study.drawing import write


@dataclass(frozen=True)
class Saturation:
    """Means over random queries, each beside the same number of random keys."""

    largest_weight: float
    """1 = one key has it all."""
    gradient: float
    """‖∂w/∂s‖, of the weights by the scores."""


def saturation(head_dim: int, scaled: bool, keys: int = 16, queries: int = 2000) -> Saturation:
    """What the softmax gives for queries and keys from N(0, 1).

    Args:
        head_dim: d_k.
        scaled: divide the scores by √d_k.
    """
    generator = torch.Generator().manual_seed(head_dim)
    query = torch.randn(queries, 1, head_dim, generator=generator)
    key = torch.randn(queries, keys, head_dim, generator=generator)
    scores = (query * key).sum(dim=-1)  # (queries, keys)
    weights = softmax_of_visible(scores / head_dim**0.5 if scaled else scores, None)
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(2) * weights.unsqueeze(1)
    largest, gradient = weights.amax(dim=1), jacobian.norm(dim=(1, 2))
    return Saturation(largest.mean().item(), gradient.mean().item())


def draw_saturation(path: Path, sizes: Sequence[int] = (8, 16, 32, 64, 128, 256, 512)) -> Path:
    """Largest weight and gradient against d_k, with and without the division."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for scaled, label in ((True, "q · k / √d_k"), (False, "q · k")):
        found = [saturation(size, scaled) for size in sizes]
        left.plot(sizes, [each.largest_weight for each in found], "o-", label=label)
        right.plot(sizes, [each.gradient for each in found], "o-", label=label)
    left.set(title="largest of 16 weights", ylim=(0, 1))
    right.set(title="gradient of the weights by the scores", ylim=(0, None))
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, map(str, sizes))
        axes.set_xlabel("d_k")
        axes.grid(alpha=0.3)
    left.legend()
    return write(figure, path)
