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

import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.student import StudentClassifier
from models.transformer.encoder import EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.low_rank import (
    WholeOrCut,
    factors,
    is_smaller,
    multiply_out,
    replace_module,
)
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
    encoder, layers = network.encoder, list(network.encoder.each_layer())
    encoder.configs = tuple(_smaller(student.config.layers[parts.layer], parts) for parts in kept)
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
    attention, network = layer.attention, layer.feed_forward
    sizes, heads = (attention.num_heads, attention.head_dim), list(parts.heads)
    columns = torch.arange(sizes[0] * sizes[1]).view(sizes)[heads].flatten()
    stacked = torch.arange(3 * sizes[0] * sizes[1]).view(3, *sizes)[:, heads].flatten()
    neurons = torch.tensor(list(parts.neurons))
    in_projection = _select(attention.in_projection, rows=stacked)  # W_Q, W_K, W_V
    replace_module(attention, "in_projection", in_projection)
    replace_module(attention, "out_projection", _select(attention.out_projection, columns=columns))
    replace_module(network, "widen", _select(network.widen, rows=neurons))
    replace_module(network, "narrow", _select(network.narrow, columns=neurons))
    return layer


def _select(
    layer: WholeOrCut, rows: Tensor | None = None, columns: Tensor | None = None
) -> WholeOrCut:
    """The linear layer, or the two of a factorised one, with these outputs and inputs alone."""
    if isinstance(layer, nn.Linear):
        return _select_of_one(layer, rows, columns)
    first, second = factors(layer)
    first, second = _select_of_one(first, None, columns), _select_of_one(second, rows, None)
    pair = nn.Sequential(first, second)
    fits = is_smaller(first.in_features, second.out_features, first.out_features)
    return pair if fits else multiply_out(pair)


@torch.no_grad()
def _select_of_one(layer: nn.Linear, rows: Tensor | None, columns: Tensor | None) -> nn.Linear:
    weight: Tensor = layer.weight
    bias: Tensor | None = layer.bias
    if rows is not None:
        weight, bias = weight[rows], None if bias is None else bias[rows]
    if columns is not None:
        weight = weight[:, columns]
    linear = nn.Linear(weight.size(1), weight.size(0), bias=bias is not None)
    linear.weight.copy_(weight)
    if bias is not None:
        linear.bias.copy_(bias)
    return linear
