"""Keys and values that generation need not compute twice.

A token's keys and values depend on it and what stands before it alone, so they never change once
the token is written. Self-attention appends those of the newest token; cross-attention computes
the source's once.
"""

from __future__ import annotations

import torch
from torch import Tensor


class KeyValueCache:
    """What one attention remembers between two steps of generation.

    Args:
        grows: True for self-attention, whose keys grow by a step's tokens; False for
            cross-attention, whose keys are those of the source from the first step on.
    """

    def __init__(self, grows: bool):
        self.grows = grows
        self.keys: Tensor | None = None  # (B, H, K, head_dim)
        self.values: Tensor | None = None  # (B, H, K, head_dim)

    @property
    def length(self) -> int:
        """Keys remembered so far."""
        return 0 if self.keys is None else self.keys.size(2)

    @property
    def complete(self) -> tuple[Tensor, Tensor] | None:
        """The keys and values, if none will be added to them."""
        if self.grows or self.keys is None or self.values is None:
            return None
        return self.keys, self.values

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Remember a step's (B, H, new, head_dim); all that are remembered, (B, H, K, head_dim)."""
        if self.keys is not None and self.values is not None:
            keys = torch.cat((self.keys, keys), dim=2)
            values = torch.cat((self.values, values), dim=2)
        self.keys, self.values = keys, values
        return keys, values

    def reorder(self, rows: Tensor) -> None:
        """Row i goes on from what row `rows[i]` remembers: (B,) int, for beam search."""
        if self.keys is not None and self.values is not None:
            self.keys = self.keys.index_select(0, rows)
            self.values = self.values.index_select(0, rows)


class LayerCache:
    """What a decoder layer remembers between two steps of generation."""

    def __init__(self) -> None:
        self.own = KeyValueCache(grows=True)
        self.source = KeyValueCache(grows=False)

    def reorder(self, rows: Tensor) -> None:
        """Row i goes on from what row `rows[i]` remembers."""
        self.own.reorder(rows)
        self.source.reorder(rows)


class DecoderCache:
    """What a decoder remembers: one `LayerCache` a layer."""

    def __init__(self, num_layers: int):
        self.layers = [LayerCache() for _ in range(num_layers)]

    @property
    def length(self) -> int:
        """Target tokens read so far."""
        return self.layers[0].own.length

    def reorder(self, rows: Tensor) -> None:
        """Row i goes on from what row `rows[i]` remembers: (B,) int, for beam search."""
        for layer in self.layers:
            layer.reorder(rows)
