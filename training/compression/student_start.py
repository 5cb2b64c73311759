"""What a student starts from: some parts of a trained model, or the same shape at random.

A student with random weights learns far less from the same teacher: the layers taken over know
the language, and training has only to fit them together again.
Source: Sanh et al. 2019, "DistilBERT", section 2 (layers taken from the teacher).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from tokenizers import Tokenizer

from models.errors import UsageError
from models.student import StudentClassifier
from models.tokenization import TitleTokenizer
from titles import LabelledTitles
from training.compression.importance import SAMPLE_TITLES, importance
from training.compression.pruning import keep_layers, keep_parts, require_layers
from training.compression.selection import most_important, sample

_TOKENS, _POSITIONS = "encoder.embedding.tokens.weight", "encoder.embedding.positions.table"


def evenly_spaced(count: int, depth: int) -> list[int]:
    """Numbers of `count` of `depth` layers, the lowest and the highest among them.

    Raises:
        UsageError: more layers than there are, or none.
    """
    if not 1 <= count <= depth:
        raise UsageError(f"{count} layers cannot be taken from a model of {depth}")
    return [round(place) for place in np.linspace(0, depth - 1, count)]


def take_layers(
    student: StudentClassifier, layers: Sequence[int], d_ff: int | None, examples: LabelledTitles
) -> StudentClassifier:
    """These layers alone, in each of them the `d_ff` neurons that matter most; all where None.

    Args:
        examples: labelled titles, on some of which the whole model's neurons are ranked.
    Raises:
        UsageError: a layer that is not there, or more neurons than there are.
    """
    require_layers(layers, len(student.config.layers))
    if d_ff is None:
        return keep_layers(student, layers)
    ranking = importance(student, sample(examples, SAMPLE_TITLES))
    kept = most_important(ranking, heads=None, d_ff=d_ff)
    return keep_parts(student, [kept[layer] for layer in layers])


def cut_vocabulary(
    student: StudentClassifier, tokenizer: Tokenizer, kept: Sequence[int]
) -> StudentClassifier:
    """The student with a smaller tokenizer, whose piece i was piece `kept[i]` of its own."""
    config = replace(
        student.config,
        vocab_size=len(kept),
        pad_id=list(kept).index(student.config.pad_id),
    )
    tokens = student.network.state_dict()[_TOKENS][list(kept)]
    titles = TitleTokenizer(tokenizer, config.pad_id, student.tokenizer.max_length)
    return student.with_(config, titles, {_TOKENS: tokens})


def cut_positions(student: StudentClassifier, max_length: int) -> StudentClassifier:
    """A copy of the student that reads at most `max_length` ids of a title, specials included."""
    length = min(max_length, student.tokenizer.max_length)
    config = replace(student.config, max_positions=length)
    table = student.network.state_dict()[_POSITIONS][:length]
    titles = TitleTokenizer(student.tokenizer.tokenizer, config.pad_id, length)
    return student.with_(config, titles, {_POSITIONS: table})


def with_dropout(student: StudentClassifier, dropout: float) -> StudentClassifier:
    """The student with another dropout, on sublayers and attention weights alike."""
    layers = tuple(
        replace(layer, dropout=dropout, attention_dropout=None) for layer in student.config.layers
    )
    return student.with_(replace(student.config, layers=layers))


def randomised(student: StudentClassifier, seed: int) -> StudentClassifier:
    """The same shape with new weights: the control for what is taken over."""
    torch.manual_seed(seed)
    return student.with_(tensors=student.config.build(len(student.labels)).state_dict())
