"""How fastText is trained."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import UsageError

_UNITS = ("words", "characters", "ngrams")
_LOSSES = ("softmax", "ova", "hs")


@dataclass(frozen=True)
class FastTextSettings:
    """How to train fastText."""

    unit: str = "ngrams"
    """What a token is: words, characters, or ngrams (one to three characters, and words)."""
    min_count: int = 2
    """Times that a token must occur in the training titles to have an embedding."""
    epochs: int = 5
    """Passes over the titles."""
    learning_rate: float = 0.4
    """At the start; it falls to 0 linearly."""
    dimensions: int = 16
    """Numbers in an embedding."""
    token_ngrams: int = 1
    """Tokens of the longest n-gram of tokens; 3 suits characters, 2 words, 1 ngrams."""
    shortest_subword: int = 1
    """Characters of the shortest piece of a token that has an embedding of its own."""
    longest_subword: int = 0
    """Characters of the longest such piece; 3 suits words; 0 = no pieces."""
    buckets: int = 1_000_000
    """Embeddings that n-grams of tokens and pieces are hashed into."""
    loss: str = "ova"
    """ova (one class against the rest), softmax, or hs (hierarchical softmax)."""
    threads: int = 1
    """Threads that train; with more than one a run cannot be repeated exactly."""
    seed: int = 13
    """Of the new embeddings."""
    autotune_seconds: int = 0
    """Time in which fastText searches epochs, rate, dimensions and, unless the unit is ngrams,
    n-grams and subwords on dev; 0 = no search."""
    quantize: bool = False
    """Prune the embeddings and compress them to a byte for two numbers: `.ftz`, not `.bin`."""
    quantized_features: int = 100_000
    """Embeddings that a quantised model keeps, at most."""
    retrain_epochs: int = 0
    """Passes in which those are trained again, at a quarter of the rate, before compression."""

    def __post_init__(self) -> None:
        if self.unit not in _UNITS:
            raise UsageError(f"unit must be one of {', '.join(_UNITS)}, not '{self.unit}'")
        if self.loss not in _LOSSES:
            raise UsageError(f"loss must be one of {', '.join(_LOSSES)}, not '{self.loss}'")
        for name in ("min_count", "epochs", "dimensions", "token_ngrams", "buckets", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.learning_rate > 0:
            raise UsageError(f"learning_rate must be above 0, not {self.learning_rate}")
        for name in ("shortest_subword", "longest_subword", "autotune_seconds", "retrain_epochs"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if self.quantized_features < 256:
            raise UsageError("quantized_features must be at least 256")
