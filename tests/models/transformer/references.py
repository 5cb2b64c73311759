"""What several tests compare with: random shapes and masks, torch's stacks, gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.decoder import Decoder
from models.transformer.study.torch_weights import from_torch

Module = TypeVar("Module", bound=nn.Module)
TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}


@dataclass(frozen=True)
class Shape:
    """One case: sizes, habits and a seed for the numbers."""

    batch: int
    source: int
    target: int
    heads: int
    head_dim: int
    d_ff: int
    layers: int
    norm_first: bool
    activation: str
    seed: int

    @property
    def config(self) -> LayerConfig:
        return LayerConfig(
            self.heads * self.head_dim,
            self.heads,
            self.d_ff,
            dropout=0.0,
            activation=self.activation,
            norm_first=self.norm_first,
        )

    def vectors(self, length: int) -> Tensor:
        return torch.randn(self.batch, length, self.config.d_model, requires_grad=True)

    def padding(self, length: int) -> Tensor:
        """Random bool (batch, length); the first position is always visible."""
        mask = torch.rand(self.batch, length) < 0.4
        mask[:, 0] = False
        return mask


shapes = st.builds(
    Shape,
    batch=st.integers(1, 3),
    source=st.integers(1, 7),
    target=st.integers(1, 6),
    heads=st.integers(1, 3),
    head_dim=st.sampled_from([2, 4, 8]),
    d_ff=st.integers(1, 20),
    layers=st.integers(1, 2),
    norm_first=st.booleans(),
    activation=st.sampled_from(["relu", "gelu"]),
    seed=st.integers(0, 2**20),
)


@contextmanager
def in_float64() -> Iterator[None]:
    """Within the block numbers have 64 bits: sums in another order differ by next to nothing."""
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def torch_encoder(shape: Shape) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(**_torch_options(shape))
    encoder = nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)
    return scatter(encoder)


def torch_decoder(shape: Shape) -> nn.TransformerDecoder:
    layer = nn.TransformerDecoderLayer(**_torch_options(shape))
    return scatter(nn.TransformerDecoder(layer, shape.layers))


def our_encoder(shape: Shape, reference: nn.TransformerEncoder) -> Encoder:
    encoder = Encoder([shape.config] * shape.layers, final_norm=False)
    encoder.load_state_dict(from_torch(reference.state_dict()))
    return encoder


def our_decoder(shape: Shape, reference: nn.TransformerDecoder) -> Decoder:
    decoder = Decoder([shape.config] * shape.layers, final_norm=False)
    decoder.load_state_dict(from_torch(reference.state_dict()))
    return decoder


def scatter(module: Module) -> Module:
    """Move every weight, so that no bias is 0, no gain is 1 and no two layers are the same."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return module


def assert_close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, **TOLERANCE)


def assert_same_gradients(found: nn.Module, expected: dict[str, Tensor | None]) -> None:
    """`expected`: gradients by the names of `found`'s parameters."""
    parameters = dict(found.named_parameters())
    assert parameters.keys() == expected.keys()
    for name, parameter in parameters.items():
        assert parameter.grad is not None, name
        torch.testing.assert_close(parameter.grad, expected[name], atol=1e-5, rtol=1e-4)


def gradients(module: nn.Module) -> dict[str, Tensor]:
    return {name: parameter.grad for name, parameter in module.named_parameters()}


def _torch_options(shape: Shape) -> dict[str, object]:
    config = shape.config
    return {
        "d_model": config.d_model,
        "nhead": config.num_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,
        "activation": config.activation,
        "batch_first": True,
        "norm_first": config.norm_first,
    }


SMALL_BERT = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
}
"""Sizes for a `BertConfig` whose model is built in no time."""
