"""Token ids to vectors.

    x = √d · E[id],   E ~ N(0, 1/d)      so that x has variance 1 in each dimension
Positional waves have mean square 1/2; words must not drown beside them. nn.Embedding itself draws
from N(0, 1), which, scaled, would have variance d.
Source: Vaswani et al. 2017, section 3.4; Devlin et al. 2019, figure 2.
"""

from __future__ import annotations

import math
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.errors import UsageError
from models.transformer.layer_config import LayerConfig
from models.transformer.layer_norm import LayerNorm
from models.transformer.positions import LearnedPositions, NoPositions, SinusoidalPositions


class TokenEmbedding(nn.Module):
    """The paper's: a trained vector a token, times √d_model.

    Args:
        vocab_size: number of tokens.
        d_model: size of a vector.
    """

    def __init__(self, vocab_size: int, d_model: int):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))
        self.reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """(B, S) int64 to (B, S, d_model)."""
        return F.embedding(ids, self.weight) * self.scale

    def reset_parameters(self) -> None:
        """N(0, 1 / d_model): the scaled vectors have unit variance."""
        nn.init.normal_(self.weight, std=1 / self.scale)


class PositionedEmbedding(nn.Module):
    """Tokens plus positions, then dropout: what stands below an encoder or a decoder.

    Args:
        tokens: (B, S) to (B, S, d_model).
        positions: (vectors, offset) to vectors: a class of `positions`, or `NoPositions`.
        dropout: share of the sum set to 0 in training.
    """

    def __init__(self, tokens: nn.Module, positions: nn.Module, dropout: float = 0.1):
        super().__init__()
        self.tokens = tokens
        self.positions = positions
        self.dropout = nn.Dropout(dropout)

    @classmethod
    def of(
        cls, vocab_size: int, layer: LayerConfig, max_len: int, positions: str = "fixed"
    ) -> Self:
        """What stands below a stack of such layers.

        Args:
            max_len: longest sequence.
            positions: "fixed" (sinusoids) or "learned"; layers that are rotary take none.
        Raises:
            UsageError: another kind, or learned positions below rotary layers.
        """
        if positions not in ("fixed", "learned") or (layer.rotary and positions == "learned"):
            raise UsageError(
                f"positions are 'fixed' or 'learned', and not learned below rotary layers; got "
                f"'{positions}' with rotary={layer.rotary}"
            )
        added: nn.Module = NoPositions()
        if not layer.rotary:
            kind = LearnedPositions if positions == "learned" else SinusoidalPositions
            added = kind(layer.d_model, max_len)
        return cls(TokenEmbedding(vocab_size, layer.d_model), added, layer.dropout)

    def forward(self, ids: Tensor, offset: int = 0) -> Tensor:
        """(B, S) int64, the first of them at position `offset`, to (B, S, d_model).

        Raises:
            ShapeError: the sequence reaches beyond the positions.
        """
        x: Tensor = self.dropout(self.positions(self.tokens(ids), offset))
        return x


class BertEmbedding(nn.Module):
    """BERT's: token, position and segment vectors, unscaled, summed and normalised.

    A title is one segment, so the segment is 0 throughout.

    Args:
        vocab_size: number of tokens.
        d_model: size of a vector.
        max_len: longest sequence.
        segments: number of segment vectors.
        dropout: share of the result set to 0 in training.
        eps: of the norm.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_len: int = 512,
        segments: int = 2,
        dropout: float = 0.1,
        eps: float = 1e-12,
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(segments, d_model)
        self.positions = LearnedPositions(d_model, max_len)
        self.norm = LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """(B, S) int64 to (B, S, d_model).

        Raises:
            ShapeError: a sequence longer than max_len.
        """
        summed = self.positions(self.tokens(ids) + self.segments.weight[0])
        x: Tensor = self.dropout(self.norm(summed))
        return x

    def reset_parameters(self) -> None:
        """N(0, 0.02²), as BERT."""
        for table in (self.tokens, self.segments):
            nn.init.normal_(table.weight, std=0.02)
