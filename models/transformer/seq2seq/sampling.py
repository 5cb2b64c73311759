"""Choose the next token by chance, among the probable ones.

    top-k: the k most probable      top-p: the fewest whose probabilities reach p together
Source: Fan et al. 2018 (top-k); Holtzman et al. 2020 (top-p, "nucleus").
"""

from __future__ import annotations

import torch
from torch import Tensor


def keep_top_k(log_probabilities: Tensor, k: int) -> Tensor:
    """The k largest of each row, the others −inf: (B, V) to (B, V)."""
    k = min(k, log_probabilities.size(-1))
    best = log_probabilities.topk(k, dim=-1)
    return torch.full_like(log_probabilities, -torch.inf).scatter(-1, best.indices, best.values)


def keep_top_p(log_probabilities: Tensor, p: float) -> Tensor:
    """The fewest of each row that hold at least the share `p`, the others −inf: (B, V) to (B, V).

    The most probable one always stays.
    """
    values, order = log_probabilities.sort(dim=-1, descending=True)
    probabilities = values.exp()
    before = probabilities.cumsum(dim=-1) - probabilities  # what the more probable ones hold
    values = values.masked_fill(before >= p, -torch.inf)
    return torch.empty_like(values).scatter(-1, order, values)


def sample(log_probabilities: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Draw a token a row: (B, V) logarithms, unnormalised, to (B,) int64."""
    probabilities = log_probabilities.softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1)
