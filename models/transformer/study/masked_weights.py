"""A mask at work: the scores of one head, what the mask hides, and the weights that are left.

Hidden scores are pushed down to the least number, and the softmax gives them exactly 0; the rows
of what is visible still sum to 1. Nothing is taken out: the shape stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from matplotlib import pyplot as plt
from torch import Tensor

from models.transformer.attention import softmax_of_visible
from models.transformer.masks import causal_mask, padding_mask
from models.transformer.study.drawing import write


@dataclass(frozen=True)
class MaskedWeights:
    """Of one head and one sequence, each (S, S)."""

    scores: Tensor
    hidden: Tensor
    """bool; True = hidden."""
    weights: Tensor


def masked_weights(causal: bool, length: int = 6, real: int = 4) -> MaskedWeights:
    """Random scores of a sequence of `length` tokens, the last ones of which are padding.

    Args:
        causal: hide the future, too, as the decoder does.
        real: tokens that are no padding.
    """
    scores = torch.randn(length, length, generator=torch.Generator().manual_seed(0))
    hidden = padding_mask(torch.tensor([real]), length).expand(length, -1)
    if causal:
        hidden = hidden | causal_mask(length)
    return MaskedWeights(scores, hidden, softmax_of_visible(scores, hidden))


def draw_masked_weights(path: Path) -> Path:
    """A row for padding alone and one for padding and the future; empty cells are exactly 0."""
    figure, grid = plt.subplots(2, 3, figsize=(10.5, 6.6), layout="constrained")
    names = ("padding: the encoder", "padding and future: the decoder")
    for row, causal, name in zip(grid, (False, True), names, strict=True):
        found = masked_weights(causal)
        row[0].imshow(found.scores.numpy(), cmap="RdBu", vmin=-3, vmax=3)
        row[1].imshow(found.hidden.numpy(), cmap="Greys", vmin=0, vmax=1.6)
        row[2].imshow(found.weights.numpy(), cmap="Blues", vmin=0, vmax=1)
        for (i, j), weight in _cells(found.weights):
            row[0].text(j, i, f"{found.scores[i, j]:z.1f}", ha="center", va="center", fontsize=8)
            if not found.hidden[i, j]:
                color = "white" if weight > 0.6 else "black"
                row[2].text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=8, c=color)
        titles = ("scores", f"hidden ({name})", "weights: 0 where hidden")
        for axes, title in zip(row, titles, strict=True):
            axes.set(title=title, xlabel="key", ylabel="query")
            axes.set_xticks(range(len(found.scores)))
            axes.set_yticks(range(len(found.scores)))
    return write(figure, path)


def _cells(matrix: Tensor) -> list[tuple[tuple[int, int], float]]:
    rows, columns = matrix.shape
    return [((i, j), matrix[i, j].item()) for i in range(rows) for j in range(columns)]
