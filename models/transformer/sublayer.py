"""The residual connection and normalisation around each sublayer.

    post-LN:  x ← LN(x + Dropout(f(x)))       the paper: sublayer, dropout, add, norm
    pre-LN:   x ← x + Dropout(f(LN(x)))       later practice: norm, sublayer, dropout, add

Pre-LN leaves a path from top to bottom that nothing rewrites, and trains without much warm-up;
post-LN is what the paper and BERT have. A pre-LN stack needs one more norm at its end.
Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020, "On Layer Normalization".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from torch import Tensor, nn

from models.transformer.layer_config import LayerConfig
from models.transformer.layer_norm import LayerNorm


class SublayerConnection(nn.Module):
    """Wraps a sublayer, which is passed to `forward` as a function.

    Args:
        d_model: size of the last dimension.
        dropout: share of the sublayer's output set to 0 in training.
        norm_first: True = pre-LN, False = post-LN.
        eps: of the norm.
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool, eps: float = 1e-5):
        super().__init__()
        self.norm = LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    @classmethod
    def of(cls, config: LayerConfig) -> Self:
        """As a layer's config says."""
        return cls(config.d_model, config.dropout, config.norm_first, config.eps)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(B, S, d_model) to (B, S, d_model); `sublayer` must keep the shape."""
        if self.norm_first:
            output: Tensor = x + self.dropout(sublayer(self.norm(x)))
        else:
            output = self.norm(x + self.dropout(sublayer(x)))
        return output
