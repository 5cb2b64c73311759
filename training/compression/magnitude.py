"""Unstructured pruning: the smallest weights become zero, wherever they lie.

    w ← 0  where |w| ≤ t,   t such that the given share of all linear layers' weights is cut

It is here to be shown for what it is. A zero takes as many bytes as any other number and is
multiplied like any other: neither the file nor the computation gets smaller. Only what removes
whole heads, neurons or layers does that (`pruning`).
Source: Han et al. 2015, "Learning both Weights and Connections for Efficient Neural Networks".
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.student import StudentClassifier
from training.compression.reshaping import reshaped


@torch.no_grad()
def prune_magnitude(student: StudentClassifier, share: float) -> StudentClassifier:
    """A copy in which that share of the linear layers' weights is 0, ranked over all layers.

    Raises:
        UsageError: the share lies outside [0, 1).
    """
    if not 0 <= share < 1:
        raise UsageError(f"the share of weights to cut must lie in [0, 1), not {share}")
    network = copy.deepcopy(student.network)
    weights = _linear_weights(network)
    sizes = torch.cat([weight.abs().flatten() for weight in weights])
    if count := round(share * len(sizes)):
        threshold = sizes.kthvalue(count).values
        for weight in weights:
            weight[weight.abs() <= threshold] = 0.0
    return reshaped(student, network)


@contextmanager
def zeros_kept(network: nn.Module) -> Iterator[None]:
    """Within the block, training leaves the linear layers' zeros at zero.

    Their gradient is set to 0, and then AdamW moves them no more than weight decay does.
    """
    hooks = [
        weight.register_hook(  # type: ignore[no-untyped-call]  # untyped in torch
            lambda gradient, cut=cut: gradient.masked_fill(cut, 0.0)
        )
        for weight in _linear_weights(network)
        if (cut := weight.detach() == 0).any()
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def sparsity(network: nn.Module) -> float:
    """Share of the linear layers' weights that are 0."""
    weights = _linear_weights(network)
    return sum(int((w == 0).sum()) for w in weights) / sum(w.numel() for w in weights)


def _linear_weights(network: nn.Module) -> list[Tensor]:
    return [part.weight for part in network.modules() if isinstance(part, nn.Linear)]
