"""Read a Hugging Face BERT folder: which weight is called what, there and here.

    encoder.layer.0.attention.self.{query,key,value}  →  layers.0.attention.in_projection, stacked
    encoder.layer.0.attention.output.LayerNorm.weight →  layers.0.attention_connection.norm.gamma
BERT is an encoder of post-LN layers with GELU, without dropout inside the feed-forward network.
Source: Devlin et al. 2019; the names are those of transformers' `BertModel`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from models.errors import PretrainedError
from models.transformer.embedding import BertEmbedding
from models.transformer.layer_config import LayerConfig

_ACTIVATIONS = {
    "gelu": "gelu",
    "relu": "relu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}
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


@dataclass(frozen=True)
class BertFolder:
    """The config and the weights of a folder that `BertModel.save_pretrained` or a kin wrote."""

    path: Path
    config: dict[str, Any]
    """config.json."""
    tensors: dict[str, Tensor]
    """By the names of `BertModel`: without the prefix `bert.` that a model with a head adds."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a folder.

        Raises:
            PretrainedError: a file is missing or unreadable, or the model is not a BERT encoder.
        """
        config = _read_config(path)
        tensors = {_plain(name): tensor.float() for name, tensor in _read_tensors(path).items()}
        return cls(path, config, tensors)

    def layers(self) -> list[LayerConfig]:
        """What each layer is built from."""
        config = self.config
        layer = LayerConfig(
            d_model=config["hidden_size"],
            num_heads=config["num_attention_heads"],
            d_ff=config["intermediate_size"],
            dropout=config.get("hidden_dropout_prob", 0.1),
            attention_dropout=config.get("attention_probs_dropout_prob", 0.1),
            inner_dropout=0.0,
            activation=_ACTIVATIONS[config.get("hidden_act", "gelu")],
            norm_first=False,
            eps=config.get("layer_norm_eps", 1e-12),
        )
        return [layer] * config["num_hidden_layers"]

    def embedding(self) -> BertEmbedding:
        """The embedding, not yet with the folder's weights."""
        config = self.config
        return BertEmbedding(
            config["vocab_size"],
            config["hidden_size"],
            config.get("max_position_embeddings", 512),
            config.get("type_vocab_size", 2),
            config.get("hidden_dropout_prob", 0.1),
            config.get("layer_norm_eps", 1e-12),
        )

    def encoder_weights(self) -> dict[str, Tensor]:
        """The weights by the names of `Encoder`, embedding included."""
        weights = {ours: self.tensor(theirs) for ours, theirs in _EMBEDDING.items()}
        for i in range(self.config["num_hidden_layers"]):
            for ours, theirs in _LAYER.items():
                weights[f"layers.{i}.{ours}"] = self.tensor(f"encoder.layer.{i}.{theirs}")
            for kind in ("weight", "bias"):
                parts = [f"encoder.layer.{i}.attention.self.{name}.{kind}" for name in _STACKED]
                stacked = torch.cat([self.tensor(part) for part in parts])
                weights[f"layers.{i}.attention.in_projection.{kind}"] = stacked
        return weights

    def give_weights(self, encoder: nn.Module) -> None:
        """Load the weights into an `Encoder` built from `layers` and `embedding`.

        Raises:
            PretrainedError: a tensor is missing, or has another size than config.json gives.
        """
        weights = self.encoder_weights()
        try:
            encoder.load_state_dict(weights)
        except RuntimeError as error:
            raise PretrainedError(
                f"{self.path}: the weights do not have the sizes that config.json gives; it is not "
                f"theirs: {error}"
            ) from error

    def tensor(self, name: str) -> Tensor:
        """One tensor by its name in `BertModel`.

        Raises:
            PretrainedError: it is not there.
        """
        if name not in self.tensors:
            raise PretrainedError(
                f"{self.path} has no tensor '{name}'; it is not a whole BERT, download it again"
            )
        return self.tensors[name]


def bert_weights(encoder: nn.Module) -> dict[str, Tensor]:
    """The weights of an `Encoder` with a `BertEmbedding` by the names of `BertModel`.

    `BertModel.load_state_dict` takes them, if all layers have the same size.
    """
    weights = encoder.state_dict()
    renamed = {theirs: weights[ours] for ours, theirs in _EMBEDDING.items()}
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for i in range(depth):
        for ours, theirs in _LAYER.items():
            renamed[f"encoder.layer.{i}.{theirs}"] = weights[f"layers.{i}.{ours}"]
        for kind in ("weight", "bias"):
            stacked = weights[f"layers.{i}.attention.in_projection.{kind}"]
            for name, part in zip(_STACKED, stacked.chunk(3), strict=True):
                renamed[f"encoder.layer.{i}.attention.self.{name}.{kind}"] = part.clone()
    return renamed


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PretrainedError(
            f"{path} is not a Hugging Face folder: config.json cannot be read ({error})"
        ) from error
    for key, default, wanted in (
        ("model_type", "bert", ("bert",)),
        ("position_embedding_type", "absolute", ("absolute",)),
        ("hidden_act", "gelu", tuple(_ACTIVATIONS)),
        ("is_decoder", False, (False,)),
    ):
        if (found := config.get(key, default)) not in wanted:
            raise PretrainedError(
                f"{path / 'config.json'}: {key} is {found!r}, this encoder reads {wanted}; "
                "open the folder with transformers instead"
            )
    return config


def _read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of model.safetensors, or of the files that its index names."""
    index = path / "model.safetensors.index.json"
    try:
        if index.exists():
            files = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        else:
            files = {"model.safetensors"}
        tensors: dict[str, Tensor] = {}
        for file in sorted(files):
            tensors |= load_file(path / file)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise PretrainedError(
            f"{path}: the weights cannot be read ({error}); a folder with pytorch_model.bin has "
            "to be saved again with safetensors"
        ) from error
    return tensors


def _plain(name: str) -> str:
    """A tensor's name without the prefix, and with today's name of a norm's parameters."""
    name = name.removeprefix("bert.")
    for old, new in (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias")):
        name = name.replace(old, new)
    return name
