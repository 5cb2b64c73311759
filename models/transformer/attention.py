"""Attention: every position takes from every other what its query asks for.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V
    MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O,   head_i = Attention(Q W_Qi, K W_Ki, V W_Vi)

d_k is a head's size: the scores of independent unit-variance vectors of that size then have
variance 1 and the softmax does not saturate.
Source: Vaswani et al. 2017, eq. 1 and section 3.2.2.
"""

from __future__ import annotations

import math
from typing import Literal, Self, overload

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.errors import ShapeError
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import require_fit
from models.transformer.positions import RotaryPositions


class MultiHeadAttention(nn.Module):
    """Attention in several subspaces at once; more heads cost no more parameters.

    W_Q, W_K and W_V lie in one matrix, so that self-attention is one multiplication.

    Args:
        d_model: size of a vector.
        num_heads: heads, h.
        dropout: share of the weights set to 0 in training.
        head_dim: size of a head; d_model / num_heads by default.
        rotary: turns queries and keys by their position.
    Raises:
        ShapeError: without `head_dim`, d_model is not a multiple of num_heads.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.1,
        head_dim: int | None = None,
        rotary: RotaryPositions | None = None,
    ):
        super().__init__()
        if head_dim is None and d_model % num_heads:
            raise ShapeError(f"d_model {d_model} cannot be cut into {num_heads} equal heads")
        self.num_heads = num_heads
        self.head_dim = head_dim or d_model // num_heads
        self.dropout = dropout
        self.rotary = rotary
        self.in_projection = nn.Linear(d_model, 3 * num_heads * self.head_dim)
        self.out_projection = nn.Linear(num_heads * self.head_dim, d_model)
        self.reset_parameters()

    @classmethod
    def of(cls, config: LayerConfig, rotary: bool = False) -> Self:
        """As a layer's config says; `rotary`: with rotary positions."""
        attention = cls(
            config.d_model, config.num_heads, config.dropout_of_weights, config.head_dim
        )
        if rotary:
            attention.rotary = RotaryPositions(attention.head_dim)
        return attention

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Let each query take from the values.

        Args:
            query: (B, Q, d_model). The same tensor as `key` and `value` for self-attention.
            key, value: (B, K, d_model).
            mask: bool, each dimension equal to (B, H, Q, K) or 1; True = hidden.
            need_weights: also return the weights; slower.
        Returns:
            (output, weights): (B, Q, d_model), and (B, H, Q, K) or None.
        Raises:
            ShapeError: the mask does not fit.
        """
        queries, keys, values = self._heads(query, key, value)  # steps 1 and 2
        return self._attend(queries, keys, values, mask, need_weights)  # steps 3 to 5

    def reset_parameters(self) -> None:
        """Xavier-uniform weights, zero biases."""
        for linear in (self.in_projection, self.out_projection):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def _heads(
        self, query: Tensor, key: Tensor, value: Tensor, offset: int = 0
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (B, H, Q, head_dim), keys and values (B, H, K, head_dim).

        Args:
            offset: position of the first of them, for rotary positions.
        """
        if query is key and key is value:
            queries, keys, values = self._project_at_once(query)
        else:
            queries, keys, values = self._project(query, key, value)
        if self.rotary is not None:
            queries, keys = self.rotary(queries, offset), self.rotary(keys, offset)
        return queries, keys, values

    def _attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """What each head finds, mixed: (B, Q, d_model), and the weights (B, H, Q, K) or None."""
        output, weights = scaled_dot_product_attention(  # step 3: each head on its own
            queries,
            keys,
            values,
            mask,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        output = output.transpose(1, 2).flatten(2)  # step 4: concatenate → (B, Q, H · head_dim)
        return self.out_projection(output), weights  # step 5: mix the heads → (B, Q, d_model)

    def _project_at_once(self, x: Tensor) -> list[Tensor]:
        """x W_Q, x W_K and x W_V in one multiplication, each (B, H, S, head_dim)."""
        projected = self._cut(self.in_projection(x))  # (B, S, 3 · H, head_dim)
        return [part.transpose(1, 2) for part in projected.chunk(3, dim=2)]

    def _project(self, *inputs: Tensor) -> list[Tensor]:
        """Each input by its own of W_Q, W_K and W_V, in this order: (B, H, S, head_dim) each."""
        weights, biases = self.in_projection.weight.chunk(3), self.in_projection.bias.chunk(3)
        projected = [F.linear(*each) for each in zip(inputs, weights, biases, strict=False)]
        return [self._cut(x).transpose(1, 2) for x in projected]

    def _cut(self, projected: Tensor) -> Tensor:
        """(B, S, heads · head_dim) to (B, S, heads, head_dim)."""
        batch, length, _ = projected.shape
        return projected.view(batch, length, -1, self.head_dim)


@overload
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: float = 0.0,
    need_weights: Literal[True] = True,
) -> tuple[Tensor, Tensor]: ...
@overload
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: float = 0.0,
    *,
    need_weights: bool,
) -> tuple[Tensor, Tensor | None]: ...
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Tensor, Tensor | None]:
    """Weight the values by how well each query matches each key.

    A query that may see no key gets zeros.

    Args:
        query: (..., Q, head_dim) float, mostly (B, H, Q, head_dim).
        key, value: (..., K, head_dim).
        mask: bool, of the rank of the scores (..., Q, K), each dimension equal or 1; True = hidden.
        dropout: share of the weights set to 0 before they meet the values.
        need_weights: False: torch's fused kernel, which never writes the weights to memory. The
            output is the same.
    Returns:
        (output, weights): (..., Q, head_dim), and (..., Q, K) before dropout, or None.
    Raises:
        ShapeError: the mask's rank or a size does not fit the scores; names both shapes.
    Source: Vaswani et al. 2017, eq. 1.
    """
    if mask is not None:
        require_fit(mask, (*query.shape[:-1], key.size(-2)))
    if not need_weights:
        visible = None if mask is None else ~mask  # torch's kernel: True = attend
        return F.scaled_dot_product_attention(query, key, value, visible, dropout), None
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., Q, K)
    weights = softmax_of_visible(scores, mask)
    return F.dropout(weights, dropout) @ value, weights


def softmax_of_visible(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the keys that are not hidden: (..., Q, K); a row without any is all zeros."""
    if mask is None:
        return scores.softmax(dim=-1)
    least = torch.finfo(scores.dtype).min  # as -1e9, but in every precision; -inf would give NaN
    weights = scores.masked_fill(mask, least).softmax(dim=-1)
    return weights.masked_fill(mask, 0.0)  # else a row with all hidden is uniform
