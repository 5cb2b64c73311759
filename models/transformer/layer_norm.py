"""Layer normalisation: each position's features to mean 0 and variance 1, then scaled and shifted.

    y = γ · (x − μ) / √(σ² + ε) + β      μ, σ² over the last dimension; σ² is the biased variance
Source: Ba et al. 2016, "Layer Normalization".
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LayerNorm(nn.Module):
    """Normalises the last dimension, whatever stands before it.

    Args:
        d_model: size of the last dimension.
        eps: ε, keeps the root above 0.
    """

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """(..., d_model) to (..., d_model)."""
        return layer_norm(x, self.gamma, self.beta, self.eps)


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float, fused: bool = True) -> Tensor:
    """Normalise the last dimension of `x`.

    Args:
        x: (..., d_model) float.
        gamma, beta: (d_model,) float.
        fused: one kernel that passes over the memory once; False: the equation, step by step.
            The results are equal.
    Returns:
        (..., d_model).
    """
    if fused:
        return F.layer_norm(x, gamma.shape, gamma, beta, eps)
    mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
    centred = x - mean
    variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return gamma * centred * torch.rsqrt(variance + eps) + beta
