"""How long a title is, as a vector.

    w = C[min(Σ cᵢ, c)] + K[min(Σ kᵢ, k)]      cᵢ: characters of piece i;  kᵢ: its columns
c and k are the limits: what is wider counts as so wide. A newsroom cuts its titles to the room they
have, so the class shows in the width of a title, which attention, being a mean, cannot count.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class WidthEmbedding(nn.Module):
    """A vector for a title's characters plus one for its columns.

    Args:
        vocab_size: number of tokens.
        d_model: size of a vector.
        limits: c and k.
    """

    limits: Tensor
    """(2,) int64; as `first_rows` not part of the weights."""
    first_rows: Tensor
    """(2,) int64, where the vectors of each begin in the table: none has one, too."""
    piece_widths: Tensor
    """(vocab_size, 2) int64, characters and columns of each token; not part of the weights."""
    table: nn.Embedding
    """Vectors of 0 … c characters, then those of 0 … k columns."""

    def __init__(self, vocab_size: int, d_model: int, limits: tuple[int, int] = (64, 128)):
        super().__init__()
        widths = torch.zeros(vocab_size, 2, dtype=torch.int64)
        self.register_buffer("piece_widths", widths, persistent=False)
        self.register_buffer("limits", torch.tensor(limits), persistent=False)
        self.register_buffer("first_rows", torch.tensor((0, 1 + limits[0])), persistent=False)
        self.table = nn.Embedding(sum(limits) + 2, d_model)
        nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, S) int64 to (B, d_model); tokens without width, such as padding, change nothing."""
        counts = self.piece_widths[ids].sum(dim=1)  # (B, 2)
        rows = counts.minimum(self.limits) + self.first_rows
        vectors: Tensor = self.table(rows)  # (B, 2, d_model)
        return vectors.sum(dim=1)
