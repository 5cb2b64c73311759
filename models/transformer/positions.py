"""Where a token stands: attention alone does not know.

    PE(pos, 2i) = sin(pos · ω_i)      PE(pos, 2i+1) = cos(pos · ω_i)      ω_i = 10000^(−2i/d)

Three ways: sinusoidal (added, fixed), learned (added, trained), rotary (turns queries and keys).
Source: Vaswani et al. 2017, section 3.5; Su et al. 2021, "RoFormer".
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from models.errors import ShapeError


class SinusoidalPositions(nn.Module):
    """Adds fixed waves, one wavelength a pair of dimensions.

    PE(pos + k) is PE(pos) with each pair turned by k · ω_i, whatever pos is.

    Args:
        d_model: size of a vector; even.
        max_len: longest sequence. Take two to four times what the data holds.
    """

    table: Tensor

    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        self.register_buffer("table", sinusoids(max_len, d_model), persistent=False)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Add the positions from `offset` on: (B, S, d_model) to (B, S, d_model).

        Raises:
            ShapeError: the sequence reaches beyond max_len.
        """
        return x + _rows(self.table, x, offset)


class LearnedPositions(nn.Module):
    """Adds a trained vector a position; knows nothing of positions it was not trained on.

    Args:
        d_model: size of a vector.
        max_len: longest sequence.
    """

    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_len, d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Add the positions from `offset` on: (B, S, d_model) to (B, S, d_model).

        Raises:
            ShapeError: the sequence reaches beyond max_len.
        """
        return x + _rows(self.table, x, offset)


class NoPositions(nn.Module):
    """Adds nothing: for attention that is rotary, or blind to order."""

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """`x` as it is."""
        return x


class RotaryPositions(nn.Module):
    """Turns each pair of a query's or key's dimensions by an angle that grows with its position.

    ⟨turn(q, m), turn(k, n)⟩ depends on m and n through m − n alone.

    Args:
        head_dim: size of a head; even.
        base: 10000 in the equation above.
    """

    frequencies: Tensor

    def __init__(self, head_dim: int, base: float = 10000.0):
        super().__init__()
        self.register_buffer("frequencies", frequencies(head_dim, base), persistent=False)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Turn the positions from `offset` on: (B, H, S, head_dim) to (B, H, S, head_dim)."""
        pos = torch.arange(offset, offset + x.size(-2), device=x.device).unsqueeze(1)
        angle = pos * self.frequencies  # (S, head_dim / 2)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        even, odd = x[..., ::2], x[..., 1::2]  # (B, H, S, head_dim / 2)
        turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
        return turned.flatten(-2)  # (B, H, S, head_dim)


def frequencies(size: int, base: float = 10000.0) -> Tensor:
    """ω of each pair: (size / 2,) float32.

    Raises:
        ShapeError: `size` is odd.
    """
    if size % 2:
        raise ShapeError(f"positions come in pairs of dimensions; {size} is odd, take an even size")
    exponent = torch.arange(0, size, 2) / size
    return torch.exp(-math.log(base) * exponent)


def sinusoids(max_len: int, d_model: int) -> Tensor:
    """PE of the positions 0 to max_len − 1: (max_len, d_model) float32."""
    angle = torch.arange(max_len).unsqueeze(1) * frequencies(d_model)  # (max_len, d_model / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)  # (max_len, d_model)


def _rows(table: Tensor, x: Tensor, offset: int) -> Tensor:
    """The (S, d_model) rows of `table` for the positions of `x`."""
    end, max_len = offset + x.size(-2), table.size(0)
    if end > max_len:
        raise ShapeError(
            f"sequence {tuple(x.shape)} from position {offset} on ends at {end}, but the position "
            f"table {tuple(table.shape)} ends at {max_len}; truncate it, or raise max_len"
        )
    return table[offset:end]
