"""How much each head and each neuron matters to the loss, measured on labelled titles.

Multiply what a head or a neuron passes on, x, by a gate g = 1. To first order, closing the gate
changes a title's loss by ∂L/∂g, which is x times its gradient, summed over positions and sizes:

    I = mean over titles of |∂L/∂g| = |Σ x · ∂L/∂x|

For a neuron, ∂L/∂g is also Σ w · ∂L/∂w over its outgoing weights.
Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", eq. 2 (heads);
Molchanov et al. 2017 and 2019, "Importance Estimation for Neural Network Pruning" (neurons).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from models.student import StudentClassifier
from models.transformer.encoder import Encoder
from models.transformer.masks import from_attention_mask
from titles import LabelledTitles
from training.batches import LengthBucketedBatches, pad
from training.partial_labels import partial_label_loss

SAMPLE_TITLES = 500
"""Titles that are enough to rank by."""
_BATCH_SIZE = 32


@dataclass(frozen=True)
class LayerImportance:
    """Of one layer's parts; the higher, the more the loss depends on it."""

    heads: Tensor
    """(num_heads,)"""
    neurons: Tensor
    """(d_ff,)"""


def importance(student: StudentClassifier, examples: LabelledTitles) -> list[LayerImportance]:
    """The importance of each layer's heads and feed-forward neurons, from the bottom up."""
    network = student.network.eval()
    rows, may_be = student.tokenizer(examples.titles).ids, torch.tensor(examples.may_be)
    sizes = [size for layer in student.config.layers for size in (layer.num_heads, layer.d_ff)]
    sums = [torch.zeros(size) for size in sizes]
    for chosen in LengthBucketedBatches([len(row) for row in rows], _BATCH_SIZE, 0).epoch(0):
        batch = pad([rows[i] for i in chosen], student.config.pad_id)
        with _passed_on(network.encoder) as values:
            logits = network(batch["input_ids"], from_attention_mask(batch["attention_mask"]))
        loss = partial_label_loss(logits, may_be[chosen]).sum()  # each title's own
        gradients = torch.autograd.grad(loss, values)
        for total, value, gradient in zip(sums, values, gradients, strict=True):
            per_value = (value * gradient).sum(dim=1).detach()  # (B, heads · head_dim) or (B, d_ff)
            parts = torch.unflatten(per_value, 1, (len(total), -1))  # (B, parts, values of one)
            total += parts.sum(dim=2).abs().sum(dim=0) / len(rows)  # a gate a part: (parts,)
    return [LayerImportance(*parts) for parts in zip(sums[::2], sums[1::2], strict=True)]


@contextmanager
def _passed_on(encoder: Encoder) -> Iterator[list[Tensor]]:
    """Within the block, a list grows by what each layer's heads and then its neurons pass on.

    That is what the projection behind them is given: (B, S, heads · head_dim) and (B, S, d_ff).
    """
    values: list[Tensor] = []
    hooks = [
        projection.register_forward_pre_hook(lambda _, inputs: values.append(inputs[0]))
        for layer in encoder.each_layer()
        for projection in (layer.attention.out_projection, layer.feed_forward.narrow)
    ]
    try:
        yield values
    finally:
        for hook in hooks:
            hook.remove()
