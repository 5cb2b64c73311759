"""LayerNorm beside BatchNorm: what else is in the batch, and what is not.

    LayerNorm: μ, σ² of a position, over its features    BatchNorm: of a feature, over the batch

A token's vector after BatchNorm depends on the tokens that happen to stand in its batch, padding
included, and is another one in evaluation, when running averages take the batch's place. After
LayerNorm it is the same in every batch, in training and in evaluation.
Source: Ba et al. 2016, "Layer Normalization"; Ioffe and Szegedy 2015, "Batch Normalization".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from matplotlib import pyplot as plt
from torch import Tensor, nn

from models.transformer.layer_norm import LayerNorm
from models.transformer.study.drawing import write

NORMS: dict[str, Callable[[int], nn.Module]] = {
    "LayerNorm": LayerNorm,
    "BatchNorm": nn.BatchNorm1d,
}
"""By name: the size of a vector to a norm of (tokens, size)."""


def moved_by_companions(name: str, tokens: int, d_model: int = 64, draws: int = 50) -> float:
    """How far a token's normalised vector moves when the rest of its batch is exchanged.

    Args:
        name: of `NORMS`.
        tokens: in the batch, at least 2.
    Returns:
        The root of the mean square, in units of a feature's standard deviation; mean of `draws`.
    """
    norm, generator = NORMS[name](d_model).train(), torch.Generator().manual_seed(tokens)
    token = torch.randn(1, d_model, generator=generator)

    def beside_others() -> Tensor:
        others = torch.randn(tokens - 1, d_model, generator=generator)
        first: Tensor = norm(torch.cat((token, others)))[0]
        return first

    with torch.no_grad():
        moves = [(beside_others() - beside_others()).square().mean().sqrt() for _ in range(draws)]
    return torch.stack(moves).mean().item()


def draw_norms(path: Path, batches: Sequence[int] = (2, 4, 8, 16, 32, 64, 128, 256)) -> Path:
    """How far a token moves with the company it keeps, against the size of the batch."""
    figure, axes = plt.subplots(figsize=(6, 3.8), layout="constrained")
    for name in NORMS:
        axes.plot(batches, [moved_by_companions(name, each) for each in batches], "o-", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(batches, map(str, batches))
    axes.set(xlabel="tokens in the batch", ylabel="root mean square, standard deviations")
    axes.set_title("how far a token's vector moves when its batch is exchanged", fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend()
    return write(figure, path)
