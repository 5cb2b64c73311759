"""Which keys a query may not see: padding and the future. True = hidden.

    weights = softmax(scores, with hidden ones pushed to the least number) → 0 where hidden

A mask never removes a token; it takes away its weight. It has a shape of its own, (B, K) for
padding and (Q, K) for the future, and is lifted to the rank of the scores, (B, H, Q, K), by name,
so that no broadcast can guess wrong.
Source: Vaswani et al. 2017, section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from models.errors import ShapeError, UsageError


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """Hide what lies behind the end of each row.

    Args:
        lengths: (B,) int, real tokens of each row.
    Returns:
        (B, max_len) bool; True = padding.
    Raises:
        ShapeError: `lengths` is not a vector.
        UsageError: a length is negative or above `max_len`.
    """
    if lengths.ndim != 1:
        raise ShapeError(f"lengths are {tuple(lengths.shape)}, expected (batch,)")
    if ((lengths < 0) | (lengths > max_len)).any():
        raise UsageError(f"lengths must lie in [0, {max_len}], got {lengths.tolist()}")
    return torch.arange(max_len, device=lengths.device) >= lengths.unsqueeze(1)  # (B, max_len)


def padding_mask_from_ids(ids: Tensor, pad_id: int) -> Tensor:
    """Hide the padding tokens: (B, S) ids to (B, S) bool; True = padding."""
    return ids == pad_id


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Hide the future: (length, length) bool, True above the diagonal.

    Position t sees the positions up to and including t.
    """
    full = torch.ones(length, length, dtype=torch.bool, device=device)
    return full.triu(diagonal=1)


def from_attention_mask(attention_mask: Tensor) -> Tensor:
    """Hugging Face's (B, S), 1 = real token, to (B, S) bool, True = padding."""
    return attention_mask == 0


def to_attention_mask(padding: Tensor) -> Tensor:
    """(B, S) bool, True = padding, to Hugging Face's (B, S) int64, 1 = real token."""
    return (~padding).long()


def over_keys(padding: Tensor) -> Tensor:
    """Lift a padding mask to the rank of the scores: (B, K) to (B, 1, 1, K).

    Raises:
        ShapeError: not a matrix.
        UsageError: not bool.
    """
    _require_bool_matrix(padding, "padding mask", "(batch, key_len)")
    return padding[:, None, None, :]


def over_pairs(causal: Tensor) -> Tensor:
    """Lift a causal mask to the rank of the scores: (Q, K) to (1, 1, Q, K).

    Raises:
        ShapeError: not a matrix.
        UsageError: not bool.
    """
    _require_bool_matrix(causal, "causal mask", "(query_len, key_len)")
    return causal[None, None, :, :]


def hidden_by_any(*masks: Tensor | None) -> Tensor | None:
    """What at least one of the lifted masks hides; those that are None hide nothing."""
    hidden: Tensor | None = None
    for mask in masks:
        if mask is not None:
            hidden = mask if hidden is None else hidden | mask
    return hidden


def require_fit(mask: Tensor, scores_shape: Sequence[int]) -> None:
    """Refuse a mask that is not made for these scores.

    A mask must be bool, have the scores' rank, and in each dimension their size or 1; over the
    keys, the last dimension, their size. A mask of a higher rank would otherwise silently add
    a dimension to the result.

    Raises:
        ShapeError: another rank or size; the message names both shapes.
        UsageError: not bool.
    """
    require_bool(mask, "mask")
    expected, found = tuple(scores_shape), tuple(mask.shape)
    if len(found) != len(expected):
        raise ShapeError(
            f"mask {found} has rank {len(found)}, the scores {expected} have rank "
            f"{len(expected)}; lift it with masks.over_keys or masks.over_pairs"
        )
    if found[-1] != expected[-1] or any(
        size not in (1, wanted) for size, wanted in zip(found[:-1], expected[:-1], strict=True)
    ):
        raise ShapeError(
            f"mask {found} does not fit the scores {expected}: a dimension must be equal or 1, "
            "the last one equal"
        )


def require_bool(mask: Tensor, name: str) -> None:
    """Refuse 0 and 1: they are most often Hugging Face's mask, whose meaning is the opposite."""
    if mask.dtype != torch.bool:
        raise UsageError(
            f"the {name} is {mask.dtype}, expected bool with True = hidden; convert Hugging "
            "Face's with masks.from_attention_mask"
        )


def _require_bool_matrix(mask: Tensor, name: str, expected: str) -> None:
    require_bool(mask, name)
    if mask.ndim != 2:
        raise ShapeError(f"the {name} is {tuple(mask.shape)}, expected {expected}")
