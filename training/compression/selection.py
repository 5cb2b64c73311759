"""Which heads, neurons and layers stay: those that the loss on labelled titles needs most."""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch import Tensor
from tqdm import tqdm

from models.errors import UsageError
from models.student import StudentClassifier
from scoring.metrics import log_loss
from titles import LabelledTitles
from training.compression.importance import SAMPLE_TITLES, LayerImportance, importance
from training.compression.pruning import KeptParts, keep_layers, keep_parts, require_layers

LAYER_TITLES = 1000
"""Titles on which layers are left out in turn: fewer, since each is read many times."""


def keep_most_important(
    student: StudentClassifier,
    examples: LabelledTitles,
    heads: int | None = None,
    d_ff: int | None = None,
    layers: int | Sequence[int] | None = None,
    by_layer: bool = True,
) -> StudentClassifier:
    """A smaller student: first layers go, then heads and neurons of those that stay.

    Args:
        examples: labelled titles, on some of which the parts are ranked.
        heads, d_ff, by_layer: as in `most_important`.
        layers: how many layers to keep, or which ones, counted from 0; all where None.
    Raises:
        UsageError: more than there are, or none.
    """
    if isinstance(layers, int):
        layers = most_important_layers(student, sample(examples, LAYER_TITLES), layers)
    if layers is not None:
        require_layers(layers, len(student.config.layers))
        student = keep_layers(student, layers)
    if heads is None and d_ff is None:
        return student
    ranking = importance(student, sample(examples, SAMPLE_TITLES))
    return keep_parts(student, most_important(ranking, heads, d_ff, by_layer))


def sample(examples: LabelledTitles, count: int, seed: int = 13) -> LabelledTitles:
    """Some of the titles, drawn at random; all of them where there are no more."""
    chosen = random.Random(seed).sample(range(len(examples)), len(examples))[:count]
    return examples.take(chosen)


def most_important(
    ranking: Sequence[LayerImportance], heads: int | None, d_ff: int | None, by_layer: bool = True
) -> list[KeptParts]:
    """The heads and neurons to keep.

    Args:
        ranking: of each layer, from the bottom up.
        heads: to keep, in each layer; all where None.
        d_ff: neurons to keep, in each layer; all where None.
        by_layer: rank each layer on its own. False: all layers together, each layer's importance
            having norm 1 (Molchanov et al. 2017); `heads` and `d_ff` are then averages.
    Raises:
        UsageError: more than the layers have, or none.
    """
    kept_heads = _top([layer.heads for layer in ranking], heads, by_layer, "heads")
    kept_neurons = _top([layer.neurons for layer in ranking], d_ff, by_layer, "neurons")
    return list(map(KeptParts, range(len(ranking)), kept_heads, kept_neurons))


def most_important_layers(
    student: StudentClassifier, examples: LabelledTitles, count: int
) -> list[int]:
    """The layers to keep: again and again, the one goes without which the loss is the least.

    Raises:
        UsageError: more than there are, or none.
    """
    kept = list(range(len(student.config.layers)))
    _require(count, len(kept), "layers")
    tries = sum(range(count + 1, len(kept) + 1))
    with tqdm(total=tries, desc="leaving layers out", unit="try") as bar:
        while len(kept) > count:
            losses = {}
            for gone in kept:
                rest = [i for i in kept if i != gone]
                scores = keep_layers(student, rest).predict_proba(examples.titles)
                losses[gone] = log_loss(scores, examples.gold)
                bar.update()
            kept.remove(min(losses, key=losses.__getitem__))
    return kept


def _top(scores: list[Tensor], count: int | None, by_layer: bool, what: str) -> list[list[int]]:
    """The numbers of the `count` highest of each layer, in ascending order."""
    if count is None:
        return [list(range(len(layer))) for layer in scores]
    _require(count, max(map(len, scores)), what)
    if by_layer:
        return [_highest(layer, min(count, len(layer))) for layer in scores]
    normalised = torch.cat([_first_kept(layer / layer.norm().clamp_min(1e-12)) for layer in scores])
    chosen = torch.zeros(len(normalised), dtype=torch.bool)
    chosen[_highest(normalised, min(count * len(scores), len(normalised)))] = True
    return [part.nonzero().flatten().tolist() for part in torch.split(chosen, [*map(len, scores)])]


def _first_kept(layer: Tensor) -> Tensor:
    """The layer's scores with its highest above all others', since each layer keeps one."""
    return layer.index_fill(0, layer.argmax(), torch.inf)


def _highest(scores: Tensor, count: int) -> list[int]:
    return sorted(scores.topk(count).indices.tolist())


def _require(count: int, available: int, what: str) -> None:
    if not 1 <= count <= available:
        raise UsageError(f"{count} {what} cannot be kept; the model has 1 to {available}")
