"""Attention that remembers: in generation, a token's keys and values are computed once."""

from __future__ import annotations

from torch import Tensor

from models.transformer.attention import MultiHeadAttention
from models.transformer.seq2seq.key_value_cache import KeyValueCache


class CachedAttention(MultiHeadAttention):
    """`MultiHeadAttention` that can go on from the keys and values of earlier steps."""

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Let each query take from the values, those of earlier steps included.

        Args:
            query: (B, Q, d_model).
            key, value: (B, new, d_model); unread where the cache is complete.
            mask: bool, each dimension equal to (B, H, Q, K) or 1, K with the cached; True = hidden.
            need_weights: also return the weights; slower.
            cache: keys and values of earlier steps; this step's are added.
        Returns:
            (output, weights): (B, Q, d_model), and (B, H, Q, K) or None.
        Raises:
            ShapeError: the mask does not fit.
        """
        if cache is None:
            return super().forward(query, key, value, mask, need_weights)
        if cache.complete is not None:
            queries, (keys, values) = self._project(query)[0], cache.complete
        else:
            queries, keys, values = self._heads(query, key, value, offset=cache.length)
            keys, values = cache.extend(keys, values)
        return self._attend(queries, keys, values, mask, need_weights)
