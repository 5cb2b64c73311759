"""What else could carry information along a sequence: recurrence and convolution beside attention.

For n tokens of size d, a multiply-add being 2 FLOPs:

    layer                  FLOPs             layers between the ends    steps that have to wait
    self-attention         8 n d² + 4 n² d   1                          1
    recurrence (LSTM)      16 n d²           n − 1 steps of one layer   n
    convolution, width k   2 k n d²          2 (n − 1) / (k − 1)        1

Attention pays for its short path with n². Below n = 2 d it still costs less than the LSTM, which
in addition has to wait for itself at each token, in training, too.
Source: Vaswani et al. 2017, table 1 and section 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.transformer.attention import MultiHeadAttention
from models.transformer.study.cost import MEASURED_NUMBERS, fastest

KERNEL = 3
"""Width k of the convolution."""


@dataclass(frozen=True)
class SequenceLayer:
    """A way to let n tokens of size d know of one another."""

    name: str
    flops: Callable[[int, int], float]
    """(n, d), of a forward pass over one sequence."""
    path: Callable[[int], int]
    """n to the operations through which the last token learns of the first."""
    serial_steps: Callable[[int], int]
    """n to the steps of which each has to wait for the one before."""
    build: Callable[[int], Callable[[Tensor], object]]
    """d to a layer of (1, n, d)."""


def _attention(d_model: int) -> Callable[[Tensor], object]:
    attention = MultiHeadAttention(d_model, 1).eval()
    return lambda x: attention(x, x, x)


def _lstm(d_model: int) -> Callable[[Tensor], object]:
    return nn.LSTM(d_model, d_model, batch_first=True).eval()


def _convolution(d_model: int) -> Callable[[Tensor], object]:
    convolution = nn.Conv1d(d_model, d_model, KERNEL, padding="same").eval()
    return lambda x: convolution(x.transpose(1, 2))


LAYERS = (
    SequenceLayer(
        "self-attention",
        lambda n, d: 8 * n * d * d + 4 * n * n * d,
        lambda n: min(1, n - 1),
        lambda n: 1,
        _attention,
    ),
    SequenceLayer("LSTM", lambda n, d: 16 * n * d * d, lambda n: n - 1, lambda n: n, _lstm),
    SequenceLayer(
        f"convolution of {KERNEL}",
        lambda n, d: 2 * KERNEL * n * d * d,
        lambda n: math.ceil(2 * (n - 1) / (KERNEL - 1)),
        lambda n: 1,
        _convolution,
    ),
)


def comparison(d_model: int, lengths: Iterable[int], repeats: int = 5) -> str:
    """The table above in numbers, as Markdown; the times are this machine's.

    Args:
        lengths: tokens of the one sequence.
        repeats: runs a time is the fastest of; 0 leaves the times out, and so do layers of more
            than `MEASURED_NUMBERS`.
    """
    lines = [
        "| tokens | layer | MFLOP | path from end to end | serial steps | ms |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for length in lengths:
        for layer in LAYERS:
            is_measured = repeats and 8 * d_model * (d_model + length) <= MEASURED_NUMBERS
            seconds = _seconds(layer, d_model, length, repeats) if is_measured else None
            lines.append(
                f"| {length:,} | {layer.name} | {layer.flops(length, d_model) / 1e6:,.1f} | "
                f"{layer.path(length):,} | {layer.serial_steps(length):,} | "
                f"{'–' if seconds is None else f'{1e3 * seconds:,.2f}'} |"
            )
    return "\n".join(lines)


def _seconds(layer: SequenceLayer, d_model: int, length: int, repeats: int) -> float:
    run, x = layer.build(d_model), torch.randn(1, length, d_model)
    with torch.inference_mode():
        return fastest(lambda: run(x), repeats)
