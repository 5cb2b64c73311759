"""AdamW for an embedding table of which a batch reads few rows; the others wait to be read.

A row without a gradient at steps s = a + 1 … t is still moved by AdamW, by what is left of its
moments m, v at step a, and by weight decay λ:

    w ← d_a w − m / (√v + ε √(1 − β₂ᵃ⁺¹)) · Σ d_s f_s (β₁ / √β₂)ˢ⁻ᵃ
    m ← β₁ᵗ⁻ᵃ m        v ← β₂ᵗ⁻ᵃ v
    f_s = η_s √(1 − β₂ˢ) / (1 − β₁ˢ)        d_s = Π (1 − η_i λ) over i = s + 1 … t

So a row can be brought up to date at once when it is read next. Against the dense update this
leaves out how ε grows beside √v as v fades. Of a longer wait only the first 200 steps are summed:
the rest is less than 10⁻⁸ of it.
Source: Kingma and Ba 2015, Loshchilov and Hutter 2019; the sum is theirs, taken over idle steps.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

BETAS, EPS = (0.9, 0.999), 1e-8
_WINDOW = 200


class EmbeddingTable:
    """Looks rows up, and moves them when their gradient is known.

    Args:
        weight: (rows, D), of an `nn.Embedding`.
        weight_decay: λ.
    """

    def __init__(self, weight: nn.Parameter, weight_decay: float):
        self.weight, self.weight_decay = weight, weight_decay
        self.mean, self.square = torch.zeros_like(weight), torch.zeros_like(weight)
        self.updated = torch.zeros(len(weight), dtype=torch.long)  # the step that a row is at
        self.decays = torch.zeros(1, dtype=torch.float64)  # [s]: Σ log(1 − ηλ) up to step s
        self.factors = torch.zeros(1, dtype=torch.float64)  # [s]: η_s · √(1 − β₂ˢ) / (1 − β₁ˢ)
        self.reads: list[tuple[Tensor, Tensor]] = []

    def look_up(self, ids: Tensor) -> Tensor:
        """(…) ids to (…, D), as `F.embedding` does; the gradient goes to the rows that are read."""
        rows, places = torch.unique(ids, return_inverse=True)
        self._catch_up(rows)
        values = self.weight.detach()[rows].requires_grad_()
        self.reads.append((rows, values))
        return F.embedding(places, values)

    @property
    def gradients(self) -> list[Tensor]:
        """Those of the rows read since the last step."""
        return [values.grad for _, values in self.reads if values.grad is not None]

    @torch.no_grad()
    def step(self, rate: float, gradient_scale: float) -> None:
        """One step of AdamW at the rate η; the gradients are divided by `gradient_scale`."""
        step = len(self.factors)
        beta1, beta2 = BETAS
        factor = rate * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        decay = torch.tensor(-rate * self.weight_decay, dtype=torch.float64).log1p()
        self.factors = torch.cat([self.factors, torch.tensor([factor], dtype=torch.float64)])
        self.decays = torch.cat([self.decays, (self.decays[-1] + decay)[None]])
        if self.reads:
            rows, gradient = self._summed()
            gradient /= gradient_scale
            mean = self.mean[rows].lerp_(gradient, 1 - beta1)
            square = self.square[rows].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            root = square.sqrt().add_(EPS * (1 - beta2**step) ** 0.5)
            moved = self.weight[rows].mul_(decay.exp().item()).addcdiv_(mean, root, value=-factor)
            self.mean[rows], self.square[rows], self.weight[rows] = mean, square, moved
            self.updated[rows] = step
        self.reads = []

    def settle(self) -> None:
        """Bring all rows up to date, for whoever reads the weights."""
        self._catch_up(torch.arange(len(self.weight)))

    def state_dict(self) -> dict[str, Tensor]:
        """What a checkpoint keeps beside the weights, which need not be settled."""
        names = ("mean", "square", "updated", "decays", "factors")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        for name, tensor in state.items():
            setattr(self, name, tensor)

    def _summed(self) -> tuple[Tensor, Tensor]:
        """The rows read since the last step, each once, and their gradients: (n,), (n, D)."""
        rows, places = torch.unique(torch.cat([r for r, _ in self.reads]), return_inverse=True)
        gradients = torch.cat([_gradient(values) for _, values in self.reads])
        summed = torch.zeros(len(rows), self.weight.shape[1])
        return rows, summed.index_add_(0, places, gradients)

    @torch.no_grad()
    def _catch_up(self, rows: Tensor) -> None:
        """Move `rows` as the steps since they were last updated would have."""
        now = len(self.factors) - 1
        rows = rows[self.updated[rows] < now]
        if not len(rows):
            return
        before = self.updated[rows]
        idle = now - before
        beta1, beta2 = BETAS
        mean, square = self.mean[rows], self.square[rows]
        decay = (self.decays[now] - self.decays[before]).exp().float()[:, None]
        shift = self._shift(before, now).float()[:, None]
        moved = self.weight[rows].mul_(decay)
        eps = EPS * (1 - beta2 ** (before + 1).double()).sqrt().float()[:, None]
        moved -= mean.div(square.sqrt().add_(eps)).mul_(shift)
        self.weight[rows] = moved
        self.mean[rows] = mean.mul_((beta1 ** idle.double()).float()[:, None])
        self.square[rows] = square.mul_((beta2 ** idle.double()).float()[:, None])
        self.updated[rows] = now

    def _shift(self, before: Tensor, now: int) -> Tensor:
        """The sum over the idle steps after `before`, (n,) float64: the same for equal steps."""
        steps, places = torch.unique(before, return_inverse=True)
        ratio = BETAS[0] / BETAS[1] ** 0.5
        fading = ratio ** torch.arange(1, _WINDOW + 1, dtype=torch.float64)
        moves = self.factors * (self.decays[now] - self.decays).exp()
        sums = [
            (window * fading[: len(window)]).sum()
            for window in (moves[step + 1 : step + 1 + _WINDOW] for step in steps.tolist())
        ]
        return torch.stack(sums)[places]


def large_table(model: nn.Module, at_least: int = 4096) -> nn.Parameter | None:
    """The weight of the model's largest embedding of so many rows that nothing else shares."""
    owners = Counter(weight for _, weight in model.named_parameters(remove_duplicate=False))
    embeddings = [module for module in model.modules() if isinstance(module, nn.Embedding)]
    weights = [embedding.get_parameter("weight") for embedding in embeddings]
    large = [w for w in weights if len(w) >= at_least and w.requires_grad and owners[w] == 1]
    return max(large, key=len, default=None)


def _gradient(values: Tensor) -> Tensor:
    return torch.zeros_like(values) if values.grad is None else values.grad
