"""The names of our weights in Hugging Face's `BertModel`, both ways.

encoder.layer.0.attention.self.{query,key,value}  →  layers.0.attention.in_projection, stacked
encoder.layer.0.attention.output.LayerNorm.weight →  layers.0.attention_connection.norm.gamma
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

_EMBEDDING = {
    "embedding.tokens.weight": "embeddings.word_embeddings.weight",
    "embedding.positions.table": "embeddings.position_embeddings.weight",
    "embedding.segments.weight": "embeddings.token_type_embeddings.weight",
    "embedding.norm.gamma": "embeddings.LayerNorm.weight",
    "embedding.norm.beta": "embeddings.LayerNorm.bias",
}
_LAYER = {
    "attention.out_projection.weight": "attention.output.dense.weight",
    "attention.out_projection.bias": "attention.output.dense.bias",
    "attention_connection.norm.gamma": "attention.output.LayerNorm.weight",
    "attention_connection.norm.beta": "attention.output.LayerNorm.bias",
    "feed_forward.widen.weight": "intermediate.dense.weight",
    "feed_forward.widen.bias": "intermediate.dense.bias",
    "feed_forward.narrow.weight": "output.dense.weight",
    "feed_forward.narrow.bias": "output.dense.bias",
    "feed_forward_connection.norm.gamma": "output.LayerNorm.weight",
    "feed_forward_connection.norm.beta": "output.LayerNorm.bias",
}
_STACKED = ("query", "key", "value")


def from_bert(weights: Mapping[str, Tensor], num_layers: int) -> dict[str, Tensor]:
    """The state of a `BertModel` by the names of an `Encoder` with a `BertEmbedding`.

    Raises:
        KeyError: a tensor is missing; its name is BERT's.
    """
    renamed = {ours: weights[theirs] for ours, theirs in _EMBEDDING.items()}
    for i in range(num_layers):
        for ours, theirs in _LAYER.items():
            renamed[f"layers.{i}.{ours}"] = weights[f"encoder.layer.{i}.{theirs}"]
        for kind in ("weight", "bias"):
            parts = [weights[name] for name in _stacked(i, kind)]
            renamed[f"layers.{i}.attention.in_projection.{kind}"] = torch.cat(parts)
    return renamed


def to_bert(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of an `Encoder` with a `BertEmbedding` by the names of `BertModel`.

    `BertModel.load_state_dict` takes them if all layers have the same size.
    """
    renamed = {theirs: weights[ours] for ours, theirs in _EMBEDDING.items()}
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for i in range(depth):
        for ours, theirs in _LAYER.items():
            renamed[f"encoder.layer.{i}.{theirs}"] = weights[f"layers.{i}.{ours}"]
        for kind in ("weight", "bias"):
            parts = weights[f"layers.{i}.attention.in_projection.{kind}"].chunk(3)
            renamed |= zip(_stacked(i, kind), (part.clone() for part in parts), strict=True)
    return renamed


def _stacked(layer: int, kind: str) -> list[str]:
    """BERT's three names of what we keep in one matrix, in its order."""
    prefix = f"encoder.layer.{layer}.attention.self"
    return [f"{prefix}.{name}.{kind}" for name in ("query", "key", "value")]
