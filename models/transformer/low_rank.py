"""A linear layer cut in two: fewer parameters and multiplications, where its weight allows it.

    W ≈ U V,   W: (out, in),   U: (out, r),   V: (r, in)      r (out + in) instead of out · in
The best U V of rank r, in the sum of squared errors, is that of the r largest singular values.
Source: Eckart and Young 1936.
"""

from __future__ import annotations

import torch
from torch import nn

from models.errors import UsageError

WholeOrCut = nn.Linear | nn.Sequential
"""A linear layer, or the two of a factorised one."""


def find_linear(model: nn.Module, name: str) -> nn.Linear:
    """The linear layer `name` of `model`.

    Raises:
        UsageError: there is none.
    """
    module = dict(model.named_modules()).get(name)
    if not isinstance(module, nn.Linear):
        raise UsageError(f"'{name}' is not a linear layer of the model")
    return module


def replace_module(model: nn.Module, name: str, module: nn.Module) -> None:
    """Put `module` where `model` has the module `name`."""
    parent, _, own = name.rpartition(".")
    setattr(model.get_submodule(parent), own, module)


def is_factorized(module: nn.Module) -> bool:
    """Whether the module is what `two_layers` gives."""
    return (
        isinstance(module, nn.Sequential)
        and len(module) == 2
        and all(isinstance(part, nn.Linear) for part in module)
    )


def factors(pair: nn.Sequential) -> tuple[nn.Linear, nn.Linear]:
    """The layers in → rank and rank → out of a factorised one."""
    first, second = pair
    assert isinstance(first, nn.Linear)
    assert isinstance(second, nn.Linear)
    return first, second


def is_smaller(in_features: int, out_features: int, rank: int) -> bool:
    """Whether two layers of that rank have fewer weights than the one: r (out + in) < out · in."""
    return rank * (in_features + out_features) < in_features * out_features


def two_layers(linear: nn.Linear, rank: int) -> nn.Sequential:
    """Layers in → rank → out in the place of `linear`, with random weights.

    Raises:
        UsageError: a rank that the layer does not have.
    """
    highest = min(linear.in_features, linear.out_features)
    if not 1 <= rank <= highest:
        raise UsageError(f"{linear} has ranks 1 to {highest}, not {rank}")
    first = nn.Linear(linear.in_features, rank, bias=False)
    second = nn.Linear(rank, linear.out_features, bias=linear.bias is not None)
    return nn.Sequential(first, second)


@torch.no_grad()
def factorize(linear: nn.Linear, rank: int) -> nn.Sequential:
    """The two layers of that rank whose product is closest to `linear`'s weight.

    The singular values are shared evenly between the two.
    """
    pair = two_layers(linear, rank)
    first, second = factors(pair)
    u, s, vh = torch.linalg.svd(linear.weight.float(), full_matrices=False)
    root = s[:rank].sqrt()
    first.weight.copy_(root[:, None] * vh[:rank])
    second.weight.copy_(u[:, :rank] * root)
    if linear.bias is not None:
        second.bias.copy_(linear.bias)
    return pair


@torch.no_grad()
def multiply_out(pair: nn.Sequential) -> nn.Linear:
    """The one layer that computes what the two of a factorised one do."""
    first, second = factors(pair)
    linear = nn.Linear(first.in_features, second.out_features, bias=second.bias is not None)
    linear.weight.copy_(second.weight @ first.weight)
    if second.bias is not None:
        linear.bias.copy_(second.bias)
    return linear
