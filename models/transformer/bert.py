"""Read a Hugging Face BERT folder: what it says its layers are, and its weights.

BERT is an encoder of post-LN layers with GELU, without dropout inside the feed-forward network.
Source: Devlin et al. 2019; the files are those that `BertModel.save_pretrained` writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from models.errors import PretrainedError
from models.transformer.bert_weights import from_bert
from models.transformer.embedding import BertEmbedding
from models.transformer.layer_config import LayerConfig

_ACTIVATIONS = {
    "gelu": "gelu",
    "relu": "relu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}


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

    def give_weights(self, encoder: nn.Module) -> None:
        """Load the weights into an `Encoder` built from `layers` and `embedding`.

        Raises:
            PretrainedError: a tensor is missing, or has another size than config.json gives.
        """
        try:
            weights = from_bert(self.tensors, self.config["num_hidden_layers"])
        except KeyError as error:
            raise self._missing(error.args[0]) from error
        try:
            encoder.load_state_dict(weights)
        except RuntimeError as error:
            raise PretrainedError(
                f"{self.path}: the weights do not have the sizes that config.json gives; it is not "
                f"theirs: {error}"
            ) from error

    def tensor(self, name: str) -> Tensor:
        """One tensor by its name in the file, without the prefix `bert.`.

        Raises:
            PretrainedError: it is not there.
        """
        if name not in self.tensors:
            raise self._missing(name)
        return self.tensors[name]

    def _missing(self, name: str) -> PretrainedError:
        return PretrainedError(
            f"{self.path} has no tensor '{name}'; it is not a whole BERT, download it again"
        )


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
