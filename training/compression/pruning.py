"""Structured pruning: whole heads, neurons and layers go, and a smaller dense model stays.

A head is head_dim rows of each of W_Q, W_K and W_V and the columns of W_O that read it; a neuron
is a row of W₁ and a column of W₂. Their share of the computation goes with them, and what is left
scores as the whole would with these parts silenced.
Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?".
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.student import StudentClassifier
from models.transformer.encoder import EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.low_rank import is_smaller, multiply_out, replace_module
from training.compression.reshaping import reshaped


@dataclass(frozen=True)
class KeptParts:
    """What stays of one layer, by the parts' numbers in it, in ascending order."""

    layer: int
    """Number of the layer, from 0 at the bottom."""
    heads: Sequence[int]
    """At least one."""
    neurons: Sequence[int]
    """At least one."""


def keep_parts(student: StudentClassifier, kept: Sequence[KeptParts]) -> StudentClassifier:
    """A student of these parts alone, one layer an entry; the one given stays as it is."""
    network = copy.deepcopy(student.network)
    encoder = network.encoder
    encoder.configs = tuple(_smaller(student.config.layers[parts.layer], parts) for parts in kept)
    layers = cast(Sequence[EncoderLayer], encoder.layers)
    encoder.layers = nn.ModuleList(_cut(layers[parts.layer], parts) for parts in kept)
    return reshaped(student, network)


def keep_layers(student: StudentClassifier, layers: Sequence[int]) -> StudentClassifier:
    """A student of these layers alone, each as it is, in this order."""
    configs = student.config.layers
    return keep_parts(
        student,
        [KeptParts(i, range(configs[i].num_heads), range(configs[i].d_ff)) for i in layers],
    )


def require_layers(layers: Sequence[int], depth: int) -> None:
    """Raises: UsageError: no layer is named, or one that a model of `depth` layers has not."""
    if not layers or not all(0 <= layer < depth for layer in layers):
        raise UsageError(f"layers {list(layers)} cannot be kept; the model has 0 to {depth - 1}")


def _smaller(config: LayerConfig, parts: KeptParts) -> LayerConfig:
    """The config of a layer with these parts; a head's size is no longer d_model / num_heads."""
    return replace(
        config,
        num_heads=len(parts.heads),
        head_dim=config.head_dim or config.d_model // config.num_heads,
        d_ff=len(parts.neurons),
    )


def _cut(layer: EncoderLayer, parts: KeptParts) -> EncoderLayer:
    """Leave the layer with these heads and neurons."""
    attention = layer.attention
    sizes, heads = (attention.num_heads, attention.head_dim), list(parts.heads)
    columns = torch.arange(sizes[0] * sizes[1]).view(sizes)[heads].flatten()
    stacked = torch.arange(3 * sizes[0] * sizes[1]).view(3, *sizes)[:, heads].flatten()
    neurons = torch.tensor(list(parts.neurons))
    for name, kept in (
        ("attention.in_projection", {"rows": stacked}),  # W_Q, W_K, W_V
        ("attention.out_projection", {"columns": columns}),
        ("feed_forward.widen", {"rows": neurons}),
        ("feed_forward.narrow", {"columns": neurons}),
    ):
        replace_module(layer, name, _select(layer.get_submodule(name), **kept))
    return layer


def _select(
    module: nn.Module, rows: Tensor | None = None, columns: Tensor | None = None
) -> nn.Module:
    """The linear layer, or the two of a factorised one, with these outputs and inputs alone."""
    if isinstance(module, nn.Sequential):
        low, high = cast(Sequence[nn.Linear], module)
        first, second = _cut_linear(low, columns=columns), _cut_linear(high, rows=rows)
        pair = nn.Sequential(first, second)
        fits = is_smaller(first.in_features, second.out_features, first.out_features)
        return pair if fits else multiply_out(pair)
    return _cut_linear(cast(nn.Linear, module), rows, columns)


def _cut_linear(
    linear: nn.Linear, rows: Tensor | None = None, columns: Tensor | None = None
) -> nn.Linear:
    weight, bias = linear.weight.data, None if linear.bias is None else linear.bias.data
    if rows is not None:
        weight, bias = weight[rows], None if bias is None else bias[rows]
    if columns is not None:
        weight = weight[:, columns]
    left = nn.Linear(weight.size(1), weight.size(0), bias=bias is not None)
    left.weight.data.copy_(weight)
    if bias is not None:
        left.bias.data.copy_(bias)
    return left
