"""What a layer costs: parameters, arithmetic, memory and time, by component and sequence length.

One unit throughout: a multiply-add is 2 FLOPs. For one encoder layer and one sequence of n tokens,
d = d_model, i = heads · head_dim (= d unless set), f = d_ff:

    projections   2 · 4 · n · d · i       x W_Q, x W_K, x W_V and the output's W_O
    attention     2 · 2 · n² · i          Q Kᵀ and weights · V
    feed-forward  2 · 2 · n · d · f       x W₁ and · W₂
Attention meets feed-forward at n = d f / i, that is d_ff; with its projections, 2 d earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import nn

from models.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from models.transformer.feed_forward import FeedForward
from models.transformer.layer_config import LayerConfig

_BYTES = 4  # of a float32

MEASURED_NUMBERS = 2**28
"""Weights and values, 1 GiB of them, up to which a layer is built to be measured."""


@dataclass(frozen=True)
class ByComponent:
    """One quantity of an encoder layer, split into where it arises."""

    projections: float
    attention: float
    feed_forward: float

    @property
    def total(self) -> float:
        """All three together."""
        return self.projections + self.attention + self.feed_forward


def parameters(module: nn.Module) -> int:
    """Numbers that training adjusts."""
    return sum(parameter.numel() for parameter in module.parameters())


def parameters_by_component(layer: LayerConfig) -> dict[str, int]:
    """Parameters of an encoder layer; a decoder layer has attention twice and three norms."""
    d, inner = layer.d_model, _inner(layer)
    return {
        "attention": 4 * d * inner + 3 * inner + d,
        "feed_forward": 2 * d * layer.d_ff + layer.d_ff + d,
        "norms": 2 * 2 * d,
    }


def flops(layer: LayerConfig, length: int) -> ByComponent:
    """FLOPs of an encoder layer's forward pass over one sequence; a multiply-add is 2."""
    n, d, inner = length, layer.d_model, _inner(layer)
    return ByComponent(8 * n * d * inner, 4 * n * n * inner, 4 * n * d * layer.d_ff)


def activation_bytes(layer: LayerConfig, length: int) -> ByComponent:
    """Bytes that one sequence leaves in memory for the backward pass, float32, no dropout.

    What is multiplied is kept: the input, Q, K, V and the heads' output; the weights of every head;
    the feed-forward's input and its inner values before and after the non-linearity. The fused
    kernel keeps one number a query instead of the weights.
    """
    n, d, inner = length, layer.d_model, _inner(layer)
    return ByComponent(
        _BYTES * n * (d + 4 * inner),
        _BYTES * layer.num_heads * n * n,
        _BYTES * n * (d + 2 * layer.d_ff),
    )


def cache_bytes(layer: LayerConfig, num_layers: int, length: int) -> int:
    """Bytes of the keys and values that generation keeps of `length` tokens, float32."""
    return _BYTES * 2 * num_layers * length * _inner(layer)


def crossing(layer: LayerConfig, with_projections: bool = False) -> int:
    """The sequence length at which attention costs as many FLOPs as feed-forward.

    Args:
        with_projections: count them as attention's; else Q Kᵀ and weights · V alone.
    """
    length = layer.d_model * layer.d_ff // _inner(layer)
    return length - 2 * layer.d_model if with_projections else length


def seconds(layer: LayerConfig, length: int, repeats: int = 5) -> ByComponent:
    """The forward pass over one sequence, measured on this machine; the fastest of `repeats`."""
    heads, size = layer.num_heads, _inner(layer) // layer.num_heads
    attention, feed_forward = MultiHeadAttention.of(layer).eval(), FeedForward.of(layer).eval()
    x = torch.randn(1, length, layer.d_model)
    joined = torch.randn(1, length, heads * size)
    query, key, value = torch.randn(3, 1, heads, length, size).unbind()

    def project() -> None:
        attention.out_projection(joined)
        attention.in_projection(x)

    with torch.inference_mode():
        return ByComponent(
            fastest(project, repeats),
            fastest(
                lambda: scaled_dot_product_attention(query, key, value, need_weights=False), repeats
            ),
            fastest(lambda: feed_forward(x), repeats),
        )


def table(layer: LayerConfig, lengths: Iterable[int], repeats: int = 5) -> str:
    """Cost against sequence length as a Markdown table; the times are this machine's.

    Args:
        lengths: tokens of the one sequence.
        repeats: runs a time is the fastest of; 0 leaves the times out, and so does a layer of
            more than `MEASURED_NUMBERS`.
    """
    lines = [
        "| tokens | projections MFLOP | attention MFLOP | feed-forward MFLOP | attention / "
        "feed-forward | kept for backward MiB (of it weights) | projections ms | attention ms | "
        "feed-forward ms |",
        "|" + "---:|" * 9,
    ]
    for length in lengths:
        work, kept = flops(layer, length), activation_bytes(layer, length)
        row = [f"{length:,}"]
        row += [f"{part / 1e6:,.1f}" for part in _parts(work)]
        row += [f"{work.attention / work.feed_forward:.2f}"]
        row += [f"{kept.total / 2**20:,.1f} ({kept.attention / 2**20:,.1f})"]
        numbers = sum(parameters_by_component(layer).values()) + length * (
            layer.d_model + 4 * _inner(layer) + layer.d_ff
        )
        is_measured = repeats and numbers <= MEASURED_NUMBERS
        measured = _parts(seconds(layer, length, repeats)) if is_measured else ()
        row += [f"{1e3 * part:,.2f}" for part in measured] or ["–"] * 3
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def fastest(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats + 1):  # the first one warms up
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times[1:])


def _inner(layer: LayerConfig) -> int:
    return layer.num_heads * (layer.head_dim or layer.d_model // layer.num_heads)


def _parts(cost: ByComponent) -> tuple[float, float, float]:
    return cost.projections, cost.attention, cost.feed_forward
