"""The decoder: writes one token after another, looking at its own past and at the source.

    x ← x + Attention(x, x, x)        masked: no future
    x ← x + Attention(x, m, m)        m: the encoder's output; masked: no source padding
    x ← x + FFN(x)

Without a source, the second line is left out: that is the decoder of a language model.
Source: Vaswani et al. 2017, section 3.1; without a source, Radford et al. 2018 (GPT).
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from models.errors import ShapeError, UsageError
from models.transformer.feed_forward import FeedForward
from models.transformer.layer_config import LayerConfig, top_of_stack
from models.transformer.layer_norm import LayerNorm
from models.transformer.masks import causal_mask, hidden_by_any, over_keys, over_pairs
from models.transformer.seq2seq.cached_attention import CachedAttention
from models.transformer.seq2seq.key_value_cache import DecoderCache, LayerCache
from models.transformer.sublayer import SublayerConnection


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward, each in its residual connection.

    Args:
        has_source: False: there is no cross-attention.
    """

    def __init__(self, config: LayerConfig, has_source: bool = True):
        super().__init__()
        self.self_attention = CachedAttention.of(config, rotary=config.rotary)
        self.self_connection = SublayerConnection.of(config)
        if has_source:
            self.cross_attention = CachedAttention.of(config)
            self.cross_connection = SublayerConnection.of(config)
        self.feed_forward = FeedForward.of(config)
        self.feed_forward_connection = SublayerConnection.of(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        target_mask: Tensor | None = None,
        source_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: LayerCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """One layer.

        Args:
            x: (B, T, d_model), the target so far; with a cache, its newest tokens alone.
            memory: (B, S, d_model), the encoder's output; None where there is no source.
            target_mask: bool, broadcastable to (B, H, T, T), cached keys added to the last one.
            source_mask: bool, broadcastable to (B, H, T, S).
            need_weights: also return the weights of cross-attention.
            cache: what earlier steps computed.
        Returns:
            (output, weights): (B, T, d_model), and (B, H, T, S) or None.
        Raises:
            ShapeError: a mask does not fit.
        """
        weights: Tensor | None = None
        own, source = (cache.own, cache.source) if cache else (None, None)

        def attend_to_itself(x: Tensor) -> Tensor:
            output: Tensor = self.self_attention(x, x, x, target_mask, cache=own)[0]
            return output

        def attend_to_source(x: Tensor) -> Tensor:
            nonlocal weights
            output: Tensor
            output, weights = self.cross_attention(
                x, memory, memory, source_mask, need_weights, cache=source
            )
            return output

        x = self.self_connection(x, attend_to_itself)
        if memory is not None:
            x = self.cross_connection(x, attend_to_source)
        x = self.feed_forward_connection(x, self.feed_forward)
        return x, weights


class Decoder(nn.Module):
    """A stack of decoder layers, with whatever turns ids into vectors below it.

    Args:
        layers: one config a layer.
        final_norm: a norm on top, as pre-LN needs; by default, where the layers are pre-LN.
        embedding: (ids, offset) to (B, T, d_model). Without one, the decoder takes vectors.
        has_source: False: no layer has cross-attention, and no memory is taken.
    Raises:
        UsageError: no layer.
        ShapeError: layers of different d_model.
    """

    def __init__(
        self,
        layers: Sequence[LayerConfig],
        final_norm: bool | None = None,
        embedding: nn.Module | None = None,
        has_source: bool = True,
    ):
        super().__init__()
        top = top_of_stack(layers)
        self.has_source = has_source
        self.embedding = embedding
        self.layers = nn.ModuleList(DecoderLayer(config, has_source) for config in layers)
        has_norm = top.norm_first if final_norm is None else final_norm
        self.final_norm = LayerNorm(top.d_model, top.eps) if has_norm else nn.Identity()

    def forward(
        self,
        target: Tensor,
        memory: Tensor | None = None,
        target_padding_mask: Tensor | None = None,
        source_padding_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Read the target so far, each position blind to what follows it.

        Args:
            target: (B, T) ids, or (B, T, d_model) without an embedding; with a cache, the newest
                tokens alone.
            memory: (B, S, d_model), the encoder's output; None where there is no source.
            target_padding_mask: (B, T) bool; True = padding. Not with a cache.
            source_padding_mask: (B, S) bool; True = padding.
            cache: what earlier calls computed; this call adds to it.
        Returns:
            (B, T, d_model).
        Raises:
            ShapeError: a mask does not fit.
            UsageError: no memory although there is a source, or the other way round.
        """
        return self._run(target, memory, target_padding_mask, source_padding_mask, cache)[0]

    def cross_attention_weights(
        self,
        target: Tensor,
        memory: Tensor,
        target_padding_mask: Tensor | None = None,
        source_padding_mask: Tensor | None = None,
    ) -> list[Tensor]:
        """Which source tokens each target token looks at: a (B, H, T, S) a layer."""
        masks = target_padding_mask, source_padding_mask
        return self._run(target, memory, *masks, need_weights=True)[1]

    def _run(
        self,
        target: Tensor,
        memory: Tensor | None,
        target_padding_mask: Tensor | None,
        source_padding_mask: Tensor | None,
        cache: DecoderCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor]]:
        if (memory is not None) != self.has_source:
            raise UsageError(
                f"the decoder was built with has_source={self.has_source} and was given "
                f"{'no ' if memory is None else 'a '}memory"
            )
        past = cache.length if cache else 0
        target_mask = _target_mask(target, past, target_padding_mask)
        source_mask = _source_mask(memory, source_padding_mask)
        x = target if self.embedding is None else self.embedding(target, past)
        kept: list[Tensor] = []
        for i, layer in enumerate(self.layers):
            layer_cache = cache.layers[i] if cache else None
            x, weights = layer(x, memory, target_mask, source_mask, need_weights, layer_cache)
            kept.append(weights)
        return self.final_norm(x), kept


def _target_mask(target: Tensor, past: int, padding: Tensor | None) -> Tensor | None:
    """The future and the padding: broadcastable to (B, H, T, past + T)."""
    new = target.size(1)
    if padding is not None and padding.shape != (target.size(0), past + new):
        raise ShapeError(
            f"padding mask {tuple(padding.shape)} does not fit the target {tuple(target.shape)}"
            f"{f' after {past} cached tokens' if past else ''}"
        )
    lifted = None if padding is None else over_keys(padding)
    if new == 1:  # the newest token may see all that came before
        return lifted
    causal = causal_mask(past + new, target.device)[past:]  # (T, past + T)
    return hidden_by_any(over_pairs(causal), lifted)


def _source_mask(memory: Tensor | None, padding: Tensor | None) -> Tensor | None:
    if memory is None or padding is None:
        return None
    if padding.shape != memory.shape[:2]:
        raise ShapeError(
            f"source padding mask {tuple(padding.shape)} does not fit the encoder's output "
            f"{tuple(memory.shape)}"
        )
    return over_keys(padding)
