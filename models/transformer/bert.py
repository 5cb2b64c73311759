"""A Hugging Face BERT: what its config says its layers are, and its weights.

BERT is an encoder of post-LN layers with GELU, without dropout inside the feed-forward network.
Source: Devlin et al. 2019; the files are those that `BertModel.save_pretrained` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
class PretrainedBert:
    """The config and the weights of a BERT, with or without a classifier on top."""

    source: Path
    """Where they are from; named in errors."""
    config: dict[str, Any]
    """As in config.json."""
    tensors: dict[str, Tensor]
    """By the names of `BertModel`: without the prefix `bert.` that a model with a head adds."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a folder that `BertModel.save_pretrained` or a kin wrote.

        Raises:
            PretrainedError: a file is missing or unreadable, or the model is not a BERT encoder.
        """
        config = _read_config(folder)
        require_bert(config, folder)  # before gigabytes are read
        return cls.of(folder, config, _read_tensors(folder))

    @classmethod
    def of(cls, source: Path, config: dict[str, Any], tensors: Mapping[str, Tensor]) -> Self:
        """Of a model that is loaded already, by its config and its state.

        Raises:
            PretrainedError: the model is not a BERT encoder.
        """
        require_bert(config, source)
        return cls(source, config, {_plain(name): t.float() for name, t in tensors.items()})

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
        """The embedding, not yet with these weights."""
        config = self.config
        return BertEmbedding(
            config["vocab_size"],
            config["hidden_size"],
            self.max_positions,
            config.get("type_vocab_size", 2),
            config.get("hidden_dropout_prob", 0.1),
            config.get("layer_norm_eps", 1e-12),
        )

    @property
    def max_positions(self) -> int:
        """Longest sequence that it reads."""
        length: int = self.config.get("max_position_embeddings", 512)
        return length

    @property
    def classifier_dropout(self) -> float:
        """Share of the pooled vector that is set to 0 in training."""
        given: float | None = self.config.get("classifier_dropout")
        return self.config.get("hidden_dropout_prob", 0.1) if given is None else given

    def encoder_weights(self) -> dict[str, Tensor]:
        """By the names of an `Encoder` built from `layers` and `embedding`.

        Raises:
            PretrainedError: a tensor is missing.
        """
        try:
            return from_bert(self.tensors, self.config["num_hidden_layers"])
        except KeyError as error:
            raise self._missing(error.args[0]) from error

    def classifier_weights(self) -> dict[str, Tensor]:
        """By the names of a `SequenceClassifier` on such an encoder.

        Raises:
            PretrainedError: a tensor is missing; an encoder alone has no pooler and classifier.
        """
        weights = {f"encoder.{name}": each for name, each in self.encoder_weights().items()}
        for ours, theirs in (("classifier", "classifier"), ("pooler", "pooler.dense")):
            for kind in ("weight", "bias"):
                name = f"{theirs}.{kind}"
                if name not in self.tensors:
                    raise self._missing(name)
                weights[f"{ours}.{kind}"] = self.tensors[name]
        return weights

    def fill(self, network: nn.Module, weights: Mapping[str, Tensor]) -> None:
        """Load some of its weights into what was built from its config.

        Raises:
            PretrainedError: a tensor has another size than the config gives.
        """
        try:
            network.load_state_dict(weights)
        except RuntimeError as error:
            raise PretrainedError(
                f"{self.source}: the weights do not have the sizes that config.json gives; it is "
                f"not theirs: {error}"
            ) from error

    def _missing(self, name: str) -> PretrainedError:
        return PretrainedError(
            f"{self.source} has no tensor '{name}'; it is not a whole BERT, download it again"
        )


def require_bert(config: dict[str, Any], source: Path) -> None:
    """Raises: PretrainedError: the config is another architecture's than that of `Encoder`."""
    for key, default, wanted in (
        ("model_type", "bert", ("bert",)),
        ("position_embedding_type", "absolute", ("absolute",)),
        ("hidden_act", "gelu", tuple(_ACTIVATIONS)),
        ("is_decoder", False, (False,)),
    ):
        if (found := config.get(key, default)) not in wanted:
            raise PretrainedError(
                f"{source / 'config.json'}: {key} is {found!r}, this encoder reads {wanted}; "
                "open the folder with transformers instead"
            )


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PretrainedError(
            f"{path} is not a Hugging Face folder: config.json cannot be read ({error})"
        ) from error
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
