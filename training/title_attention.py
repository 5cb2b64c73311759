"""Attention for rows as short as titles, with its own backward pass.

    Attention(Q, K, V) = Dropout(softmax(Q Kᵀ / √d + bias)) V

torch's fused kernel is made for long rows: in a step of a student its backward pass took 39 % of
the time. Its plain one copies and checks more than is needed. Here the scores are written to
memory once, in fp32, and read back for the gradient.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def title_attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, keep: Tensor | None, p: float
) -> Tensor:
    """Weight the values by how well each query matches each key.

    Args:
        query: (B, H, Q, d). key, value: (B, H, K, d).
        bias: added to the scores, broadcastable to (B, H, Q, K); without a gradient.
        keep: int8 (B, H, Q, K), 0 where a weight is dropped; None: none is.
        p: the share that is dropped.
    Returns:
        (B, H, Q, d), a transposed view of (B, Q, H, d).
    """
    output: Tensor = _TitleAttention.apply(  # type: ignore[no-untyped-call]  # untyped in torch
        query, key, value, bias, keep, 1 / (1 - p)
    )
    return output


class _TitleAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        bias: Tensor | None,
        keep: Tensor | None,
        scale: float,
    ) -> Tensor:
        batch, heads, queries, head_dim = query.shape
        q, k, v = (x.float().reshape(batch * heads, -1, head_dim) for x in (query, key, value))
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(head_dim**-0.5)  # (B · H, Q, K)
        if bias is not None:
            scores.view(batch, heads, queries, -1).add_(bias)
        weights = torch.ops.aten._softmax(scores, -1, False)
        dropped = weights if keep is None else (weights * keep.view_as(weights)).mul_(scale)
        output = torch.bmm(dropped, v).view(batch, heads, queries, head_dim)
        ctx.save_for_backward(q, k, v, weights, dropped, keep)
        ctx.scale = scale
        ctx.dtype = query.dtype
        return output.transpose(1, 2).to(query.dtype).contiguous().transpose(1, 2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, weights, dropped, keep = ctx.saved_tensors
        batch, heads, _, head_dim = gradient.shape
        out = gradient.float().reshape(batch * heads, -1, head_dim)
        value = torch.bmm(dropped.transpose(1, 2), out)
        wrong = torch.bmm(out, v.transpose(1, 2))  # of the dropped weights
        if keep is not None:
            wrong = wrong.mul_(keep.view_as(wrong)).mul_(ctx.scale)
        scores = torch.ops.aten._softmax_backward_data(wrong, weights, -1, weights.dtype)
        scores = scores.mul_(head_dim**-0.5)
        query, key = torch.bmm(scores, k), torch.bmm(scores.transpose(1, 2), q)
        whole = (x.view(batch, heads, -1, head_dim).to(ctx.dtype) for x in (query, key, value))
        return (*whole, None, None, None)
