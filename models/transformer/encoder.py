"""The encoder: layers of self-attention and feed-forward, each position seeing all others.

    x ← x + Attention(x, x, x)      x ← x + FFN(x)      (with dropout and norms: see sublayer)
Source: Vaswani et al. 2017, section 3.1; BERT is this alone (Devlin et al. 2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from torch import Tensor, nn

from models.errors import ShapeError
from models.transformer.attention import MultiHeadAttention
from models.transformer.bert import PretrainedBert
from models.transformer.feed_forward import FeedForward
from models.transformer.layer_config import LayerConfig, top_of_stack
from models.transformer.layer_norm import LayerNorm
from models.transformer.masks import over_keys
from models.transformer.sublayer import SublayerConnection


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each in its residual connection."""

    def __init__(self, config: LayerConfig):
        super().__init__()
        self.attention = MultiHeadAttention.of(config, rotary=config.rotary)
        self.feed_forward = FeedForward.of(config)
        self.attention_connection = SublayerConnection.of(config)
        self.feed_forward_connection = SublayerConnection.of(config)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """One layer.

        Args:
            x: (B, S, d_model).
            mask: bool, broadcastable to (B, H, S, S); True = hidden.
            need_weights: also return the attention weights.
        Returns:
            (output, weights): (B, S, d_model), and (B, H, S, S) or None.
        Raises:
            ShapeError: the mask does not fit.
        """
        weights: Tensor | None = None

        def attend(x: Tensor) -> Tensor:
            nonlocal weights
            output: Tensor
            output, weights = self.attention(x, x, x, mask, need_weights)
            return output

        x = self.attention_connection(x, attend)
        x = self.feed_forward_connection(x, self.feed_forward)
        return x, weights


@dataclass
class EncoderTrace:
    """What went through an encoder."""

    hidden_states: list[Tensor] = field(default_factory=list)
    """The layers' input, then each layer's output: (B, S, d_model)."""
    attention_weights: list[Tensor] = field(default_factory=list)
    """Each layer's: (B, H, S, S)."""


class Encoder(nn.Module):
    """A stack of layers, with whatever turns ids into vectors below it.

    Args:
        layers: one config a layer.
        final_norm: a norm on top, as pre-LN needs; by default, where the layers are pre-LN.
        embedding: (B, S) ids to (B, S, d_model). Without one, the encoder takes vectors.
    Raises:
        UsageError: no layer.
        ShapeError: layers of different d_model.
    """

    def __init__(
        self,
        layers: Sequence[LayerConfig],
        final_norm: bool | None = None,
        embedding: nn.Module | None = None,
    ):
        super().__init__()
        top = top_of_stack(layers)
        self.configs = tuple(layers)
        self.embedding = nn.Identity() if embedding is None else embedding
        self.layers = nn.ModuleList(EncoderLayer(config) for config in layers)
        has_norm = top.norm_first if final_norm is None else final_norm
        self.final_norm = LayerNorm(top.d_model, top.eps) if has_norm else nn.Identity()

    def forward(self, source: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        """Read a batch.

        Args:
            source: (B, S) ids, or (B, S, d_model) without an embedding.
            padding_mask: (B, S) bool; True = padding.
        Returns:
            (B, S, d_model). What stands at hidden positions means nothing.
        Raises:
            ShapeError: the mask is not of the source's (B, S).
        """
        mask = self._lift(padding_mask, source)
        x = self.embedding(source)
        for layer in self.layers:
            x, _ = layer(x, mask)
        output: Tensor = self.final_norm(x)
        return output

    def trace(self, source: Tensor, padding_mask: Tensor | None = None) -> EncoderTrace:
        """As `forward`, but keep every layer's output and attention weights.

        The last hidden state is that of the last layer, before the final norm.
        """
        mask = self._lift(padding_mask, source)
        x = self.embedding(source)
        trace = EncoderTrace([x])
        for layer in self.layers:
            x, weights = layer(x, mask, need_weights=True)
            trace.hidden_states.append(x)
            trace.attention_weights.append(weights)
        return trace

    def each_layer(self) -> Iterator[EncoderLayer]:
        """The layers, from the bottom up."""
        for layer in self.layers:
            assert isinstance(layer, EncoderLayer)
            yield layer

    @classmethod
    def from_bert(cls, folder: Path | str) -> Self:
        """The encoder of a Hugging Face BERT folder, its embedding included, in evaluation mode.

        Args:
            folder: with config.json and model.safetensors, one file or several.
        Raises:
            PretrainedError: not such a folder, or not a BERT.
        """
        bert = PretrainedBert.read(Path(folder))
        encoder = cls(bert.layers(), final_norm=False, embedding=bert.embedding())
        bert.fill(encoder, bert.encoder_weights())
        return encoder.eval()

    @staticmethod
    def _lift(padding_mask: Tensor | None, source: Tensor) -> Tensor | None:
        if padding_mask is None:
            return None
        if padding_mask.shape != source.shape[:2]:
            raise ShapeError(
                f"padding mask {tuple(padding_mask.shape)} does not fit the source "
                f"{tuple(source.shape)}; expected {tuple(source.shape[:2])}"
            )
        return over_keys(padding_mask)
