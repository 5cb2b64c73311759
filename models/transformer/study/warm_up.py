"""Why post-LN needs a warm-up: its top layers begin with large gradients.

In a post-LN stack a gradient passes a norm at each layer on its way down and shrinks: the top
layers begin with the largest ones. Steps that are large from the start throw them to where nothing
is learned any more; small first steps let all layers settle. In a pre-LN stack the path down is
free, and layers begin alike. Shown on the easiest task there is: write down what is read.
Source: Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", figure 3.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from matplotlib import pyplot as plt
from torch import Tensor, nn
from torch.nn import functional as F

from models.transformer.embedding import PositionedEmbedding
from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.study.drawing import write

WARM_UP_STEPS = 40
_TOKENS, _LENGTH, _BATCH = 16, 8, 16


def gradients_by_layer(norm_first: bool, num_layers: int = 12, draws: int = 8) -> list[float]:
    """‖∂L/∂W₂‖ of each layer's feed-forward before the first step, from the bottom up.

    The mean of several models, each with a batch of random ids and random answers.
    """
    total = torch.zeros(num_layers)
    with torch.random.fork_rng(devices=[]):
        for seed in range(draws):
            model = _Copying(norm_first, num_layers, seed)
            ids, answers = torch.randint(_TOKENS, (2, _BATCH, _LENGTH)).unbind()
            torch.autograd.backward(model.loss(ids, answers))
            weights = [layer.feed_forward.narrow.weight for layer in model.encoder.each_layer()]
            total += torch.stack([w.grad.norm() for w in weights if w.grad is not None])
    means: list[float] = (total / draws).tolist()
    return means


def losses(
    norm_first: bool, warm_up_steps: int, steps: int = 80, num_layers: int = 12, rate: float = 5e-3
) -> list[float]:
    """The loss at each step of Adam, at a constant rate but for a linear warm-up."""
    with torch.random.fork_rng(devices=[]):
        model = _Copying(norm_first, num_layers, seed=0)
        optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
        seen = []
        for step in range(1, steps + 1):
            optimizer.param_groups[0]["lr"] = rate * min(1.0, step / max(1, warm_up_steps))
            ids = torch.randint(_TOKENS, (_BATCH, _LENGTH))
            loss = model.loss(ids, ids)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            seen.append(loss.item())
    return seen


def draw_warm_up(path: Path) -> Path:
    """Left: the gradients of a deep stack before its first step. Right: how it learns."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for norm_first, name in ((False, "post-LN"), (True, "pre-LN")):
        found = gradients_by_layer(norm_first)
        left.plot(range(1, len(found) + 1), found, "o-", label=name)
    left.set(title="gradient before the first step", xlabel="layer", ylabel="norm", ylim=(0, None))
    runs = ((False, 0, "C0-"), (False, WARM_UP_STEPS, "C0--"), (True, 0, "C1-"))
    for norm_first, warm_up_steps, style in runs:
        warm_up = f"{warm_up_steps} steps of warm-up" if warm_up_steps else "no warm-up"
        name = f"{'pre' if norm_first else 'post'}-LN, {warm_up}"
        seen = losses(norm_first, warm_up_steps)
        right.plot(np.convolve(seen, np.ones(5) / 5, mode="valid"), style, label=name)
    right.set(title="loss, mean of 5 steps", xlabel="step", ylim=(0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    return write(figure, path)


class _Copying(nn.Module):
    """An encoder that gives a token for each token it reads."""

    def __init__(self, norm_first: bool, num_layers: int, seed: int):
        super().__init__()
        torch.manual_seed(seed)
        layer = LayerConfig(32, 4, 64, dropout=0.0, norm_first=norm_first)
        embedding = PositionedEmbedding.of(_TOKENS, layer, _LENGTH)
        self.encoder = Encoder([layer] * num_layers, embedding=embedding)
        self.output_projection = nn.Linear(32, _TOKENS)

    def loss(self, ids: Tensor, answers: Tensor) -> Tensor:
        """Cross-entropy of (B, S) answers after reading (B, S) ids."""
        logits = self.output_projection(self.encoder(ids))  # (B, S, V)
        return F.cross_entropy(logits.flatten(0, 1), answers.flatten())
