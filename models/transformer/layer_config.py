"""What one layer is built from: the sizes and habits that encoder and decoder layers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.errors import ShapeError, UsageError


@dataclass(frozen=True)
class LayerConfig:
    """One layer. The defaults are the paper's base model, but pre-LN.

    A stack takes one of these a layer, so that layers may differ in heads or width.

    Raises:
        UsageError: a size below 1 or a dropout outside [0, 1).
    """

    d_model: int = 512
    """Size of a vector, the same in all layers of a stack."""
    num_heads: int = 8
    """Attention heads."""
    d_ff: int = 2048
    """Inner size of the feed-forward network."""
    head_dim: int | None = None
    """Size of a head; d_model / num_heads when None."""
    dropout: float = 0.1
    """Share of a sublayer's output that is set to 0 in training."""
    attention_dropout: float | None = None
    """Share of the attention weights; as `dropout` when None."""
    inner_dropout: float | None = None
    """Share of the feed-forward's inner values; as `dropout` when None."""
    activation: str = "relu"
    """relu, gelu or gelu_tanh."""
    norm_first: bool = True
    """True = pre-LN, False = post-LN."""
    eps: float = 1e-5
    """ε of the layer norms."""
    rotary: bool = False
    """Turn the queries and keys of self-attention by their positions."""

    def __post_init__(self) -> None:
        if min(self.d_model, self.num_heads, self.d_ff, self.head_dim or 1) < 1:
            raise UsageError(f"the sizes of a layer must be at least 1: {self}")
        for share in (self.dropout, self.attention_dropout, self.inner_dropout):
            if not 0 <= (share or 0) < 1:
                raise UsageError(f"a dropout must lie in [0, 1): {self}")

    @property
    def dropout_of_weights(self) -> float:
        """`attention_dropout`, or `dropout`."""
        return self.dropout if self.attention_dropout is None else self.attention_dropout

    @property
    def dropout_inside(self) -> float:
        """`inner_dropout`, or `dropout`."""
        return self.dropout if self.inner_dropout is None else self.inner_dropout


def top_of_stack(layers: Sequence[LayerConfig]) -> LayerConfig:
    """The last layer's config, once it is sure that the layers can be stacked.

    Raises:
        UsageError: no layer.
        ShapeError: layers of different d_model.
    """
    if not layers:
        raise UsageError("a stack needs at least one layer")
    sizes = [layer.d_model for layer in layers]
    if len(set(sizes)) > 1:
        raise ShapeError(f"the layers of a stack must have the same d_model, got {sizes}")
    return layers[-1]
