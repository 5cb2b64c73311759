"""How long a title is, as a vector.

    w = C[min(Σ cᵢ, 64)] + K[min(Σ kᵢ, 128)]      cᵢ: characters of piece i;  kᵢ: its columns
A newsroom cuts its titles to the room they have, so the class shows in the width of a title,
which attention, being a mean, cannot count.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

LARGEST = (64, 128)
"""Characters and columns that are told apart; a longer title counts as one of so many."""
FIRST_ROW = (0, 1 + LARGEST[0])
"""Where the vectors of each begin in the table: no character and no column have one, too."""


class WidthEmbedding(nn.Module):
    """A vector for a title's characters plus one for its columns.

    Args:
        vocab_size: number of tokens.
        d_model: size of a vector.
    """

    piece_widths: Tensor
    """(vocab_size, 2) int64, characters and columns of each token; not part of the weights."""
    table: nn.Embedding
    """Vectors of 0 … 64 characters, then those of 0 … 128 columns."""

    def __init__(self, vocab_size: int, d_model: int):
        super().__init__()
        widths = torch.zeros(vocab_size, len(LARGEST), dtype=torch.int64)
        self.register_buffer("piece_widths", widths, persistent=False)
        self.table = nn.Embedding(sum(LARGEST) + 2, d_model)
        nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, S) int64 to (B, d_model); tokens without width, such as padding, change nothing."""
        counts = self.piece_widths[ids].sum(dim=1)  # (B, 2)
        largest = counts.new_tensor(LARGEST)
        rows = counts.minimum(largest) + counts.new_tensor(FIRST_ROW)
        vectors: Tensor = self.table(rows)  # (B, 2, d_model)
        return vectors.sum(dim=1)
