"""How fastText is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from models.bounds import Checked, NonNegativeInt, PositiveFloat, PositiveInt, Seed, Whole


@dataclass(frozen=True)
class FastTextSettings(Checked):
    """How to train fastText."""

    unit: Literal["words", "characters", "ngrams"] = "ngrams"
    """What a token is: words, characters, or ngrams (one to three characters, and words)."""
    min_count: PositiveInt = 2
    """Times that a token must occur in the training titles to have an embedding."""
    epochs: NonNegativeInt = 0
    """Passes over the titles; 0 = 5, and more over a small file: up to 100, until 500,000 titles
    have been read."""
    learning_rate: PositiveFloat = 0.4
    """At the start; it falls to 0 linearly."""
    dimensions: PositiveInt = 16
    """Numbers in an embedding."""
    token_ngrams: PositiveInt = 1
    """Tokens of the longest n-gram of tokens; 3 suits characters, 2 words, 1 ngrams."""
    shortest_subword: NonNegativeInt = 1
    """Characters of the shortest piece of a token that has an embedding of its own."""
    longest_subword: NonNegativeInt = 0
    """Characters of the longest such piece; 3 suits words; 0 = no pieces."""
    buckets: PositiveInt = 1_000_000
    """Embeddings that n-grams of tokens and pieces are hashed into."""
    loss: Literal["ova", "softmax", "hs"] = "ova"
    """ova (one class against the rest), softmax, or hs (hierarchical softmax)."""
    threads: PositiveInt = 1
    """Threads that train; with more than one a run cannot be repeated exactly."""
    seed: Seed = 13
    """Of the new embeddings."""
    autotune_seconds: NonNegativeInt = 0
    """Time in which fastText searches epochs, rate, dimensions and, unless the unit is ngrams,
    n-grams and subwords on dev; 0 = no search."""
    quantize: bool = False
    """Prune the embeddings and compress them to a byte for two numbers: `.ftz`, not `.bin`."""
    quantized_features: Annotated[int, Whole(least=256)] = 100_000
    """Embeddings that a quantised model keeps, at most."""
    retrain_epochs: NonNegativeInt = 0
    """Passes in which those are trained again, at a quarter of the rate, before compression."""
