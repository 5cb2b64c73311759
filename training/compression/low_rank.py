"""Low-rank factorisation: linear layers cut in two by their singular values.

    W ≈ U V of rank r      energy kept = Σ_{i ≤ r} s_i² / Σ s_i²      (s: singular values of W)

A layer is left alone where two would not be smaller, r (out + in) ≥ out · in; for a square matrix
that begins at half its rank. So much has to be given up before anything is gained that a recovery
should follow.
Source: Eckart and Young 1936; the cut itself is in `models.transformer.low_rank`.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.student import StudentClassifier
from models.transformer.low_rank import (
    factorize,
    find_linear,
    is_factorized,
    is_smaller,
    multiply_out,
    replace_module,
)
from models.transformer.sequence_classifier import SequenceClassifier
from training.compression.reshaping import reshaped


def factorize_layers(student: StudentClassifier, ranks: Mapping[str, int]) -> StudentClassifier:
    """A copy in which the linear layers named are cut in two of these ranks.

    What was factorised before is multiplied out first, so that names and ranks are of the whole.

    Raises:
        UsageError: no such layer, or a rank that it does not have.
    """
    network = whole(student.network)
    for name, rank in ranks.items():
        replace_module(network, name, factorize(find_linear(network, name), rank))
    return reshaped(student, network)


def ranks_by_energy(student: StudentClassifier, energy: float) -> dict[str, int]:
    """For each linear layer, the least rank that keeps this share of its energy.

    Layers that would not get smaller are left out.

    Raises:
        UsageError: the share lies outside (0, 1].
    """
    _require_share(energy, "energy")
    ranks = {}
    for name, weight in _weights(student).items():
        kept = _energies(weight).cumsum(dim=0)
        rank = 1 + int((kept < energy - 1e-9).sum())  # the shares' sum may miss 1 by a rounding
        if is_smaller(weight.size(1), weight.size(0), rank):
            ranks[name] = rank
    return ranks


def ranks_by_budget(student: StudentClassifier, budget: float) -> dict[str, int]:
    """Ranks that keep at most this share of the linear layers' weights.

    Every layer starts at rank 1, and ranks are added one by one where a weight buys most energy,
    counted as a share of the layer's. The last step of a layer makes it whole, and leaves it out.

    Raises:
        UsageError: the share lies outside (0, 1], or is less than rank 1 everywhere costs.
    """
    _require_share(budget, "budget")
    weights = _weights(student)
    total = sum(weight.numel() for weight in weights.values())
    steps = {name: _steps(weight) for name, weight in weights.items()}
    least = sum(each[0].weights for each in steps.values())
    if least > int(budget * total):
        raise UsageError(
            f"the budget {budget} is less than rank 1 everywhere costs; this model needs "
            f"{math.ceil(1e4 * least / total) / 1e4} or more"
        )
    taken = _spend(steps, int(budget * total) - least)
    return {name: rank for name, rank in taken.items() if rank < len(steps[name])}


def whole(network: SequenceClassifier) -> SequenceClassifier:
    """A copy of the network in which no layer is factorised."""
    network = copy.deepcopy(network)
    pairs = [(name, part) for name, part in network.named_modules() if is_factorized(part)]
    for name, pair in pairs:
        replace_module(network, name, multiply_out(pair))
    return network


class _Step(NamedTuple):
    """What one more rank of a layer costs and brings."""

    weights: int
    energy: float


def _steps(weight: Tensor) -> list[_Step]:
    """The steps from nothing upwards; the last one makes the layer whole."""
    out_features, in_features = weight.shape
    energies = _energies(weight).tolist()
    highest = sum(is_smaller(in_features, out_features, r + 1) for r in range(len(energies)))
    size = in_features + out_features
    steps = [_Step(size, energy) for energy in energies[:highest]]
    return [*steps, _Step(weight.numel() - highest * size, sum(energies[highest:]))]


def _spend(steps: dict[str, list[_Step]], left: int) -> dict[str, int]:
    """How many steps each layer may take if, after the first, `left` weights are to be spent."""
    taken = dict.fromkeys(steps, 0)
    queue = [(-math.inf, name) for name in steps]
    while queue:
        _, name = heapq.heappop(queue)
        cost = steps[name][taken[name]].weights if taken[name] else 0
        if cost > left:
            continue  # the layer has all that it can get
        left -= cost
        taken[name] += 1
        if taken[name] < len(steps[name]):
            following = steps[name][taken[name]]
            heapq.heappush(queue, (-following.energy / following.weights, name))
    return taken


def _energies(weight: Tensor) -> Tensor:
    """Each singular value's share of the energy, (rank,) float64, in descending order."""
    squares: Tensor = torch.linalg.svdvals(weight.detach().double()).square()
    return squares / squares.sum().clamp_min(torch.finfo(torch.float64).tiny)


def _weights(student: StudentClassifier) -> dict[str, Tensor]:
    """Of the linear layers, as they are when multiplied out, by their names."""
    network = whole(student.network)
    return {
        name: part.weight for name, part in network.named_modules() if isinstance(part, nn.Linear)
    }


def _require_share(share: float, what: str) -> None:
    if not 0 < share <= 1:
        raise UsageError(f"the {what} must lie in (0, 1], not {share}")
