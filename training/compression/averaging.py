"""The mean of several students' weights, which often scores better than each of them.

It holds for students of one line, each started from another's weights: between them the loss
stays low. Source: Wortsman et al. 2022, "Model soups: averaging weights of multiple fine-tuned
models improves accuracy without increasing inference time".
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from models.errors import UsageError
from models.student import StudentClassifier, StudentConfig
from training.compression.student_start import with_dropout


def average(students: Sequence[StudentClassifier]) -> StudentClassifier:
    """A student whose every weight is the mean of theirs.

    Raises:
        UsageError: they differ in shape, classes or tokenizer.
    """
    first = students[0]
    for number, other in enumerate(students[1:], start=2):
        for what, mine, theirs in (
            ("layers or sizes", _shape(first), _shape(other)),
            ("classes", first.labels, other.labels),
            ("pieces", _text(first), _text(other)),
        ):
            if mine != theirs:
                raise UsageError(f"model {number} has other {what} than the first")
    weights = [student.network.state_dict() for student in students]
    means = {name: torch.stack([each[name] for each in weights]).mean(dim=0) for name in weights[0]}
    return first.with_(tensors=means)


def _shape(student: StudentClassifier) -> StudentConfig:
    """Without dropout, which says how it was trained and changes no weight's place."""
    return with_dropout(student, 0.0).config


def _text(student: StudentClassifier) -> str:
    text: str = student.tokenizer.tokenizer.to_str()
    return text
