"""What generation asks of a model, and one step of it."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from models.transformer.seq2seq.key_value_cache import DecoderCache


class WritingModel(Protocol):
    """A model that `generate` can drive: `Transformer`, `TorchTransformer`, `LanguageModel`."""

    pad_id: int
    bos_id: int
    eos_id: int
    training: bool

    def start(self, source: Tensor) -> Tensor: ...
    def encode(self, source: Tensor) -> Tensor: ...
    def decode(
        self, target: Tensor, memory: Tensor, source: Tensor, cache: DecoderCache | None = None
    ) -> Tensor: ...
    def new_cache(self) -> DecoderCache: ...
    def train(self, mode: bool = True) -> object: ...


class NextToken:
    """Scores the token that follows; reads the source once, and with a cache each token once.

    Args:
        model: what generates.
        source: (B, S) ids.
        use_cache: keep keys and values between the steps.
    """

    def __init__(self, model: WritingModel, source: Tensor, use_cache: bool):
        self.model, self.source = model, source
        self.memory = model.encode(source)  # (B, S, d_model)
        self.cache = model.new_cache() if use_cache else None

    @property
    def rows(self) -> int:
        """Targets that are written at once."""
        return self.source.size(0)

    def start(self) -> Tensor:
        """What the targets begin with: <bos>, or the prompt; (B, start)."""
        return self.model.start(self.source)

    def log_probabilities(self, target: Tensor, temperature: float = 1.0) -> Tensor:
        """Score what may follow.

        Args:
            target: (B, T) ids, all so far.
            temperature: divides the logits.
        Returns:
            (B, V) logarithms of probabilities; padding and <bos> never follow.
        """
        read = 0 if self.cache is None else self.cache.length
        logits = self.model.decode(target[:, read:], self.memory, self.source, self.cache)[:, -1]
        never = torch.tensor([self.model.pad_id, self.model.bos_id], device=logits.device)
        logits = logits.float().index_fill(-1, never, -torch.inf)  # (B, V)
        return (logits / temperature).log_softmax(dim=-1)

    def reorder(self, rows: Tensor) -> None:
        """From now on, row i goes on from row `rows[i]`: (new B,) int."""
        self.source = self.source.index_select(0, rows)
        self.memory = self.memory.index_select(0, rows)
        if self.cache is not None:
            self.cache.reorder(rows)
