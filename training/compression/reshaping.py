"""A network whose layers were cut, as a student again."""

from __future__ import annotations

from dataclasses import replace

from models.student import StudentClassifier
from models.transformer.low_rank import is_factorized
from models.transformer.sequence_classifier import SequenceClassifier


def reshaped(student: StudentClassifier, network: SequenceClassifier) -> StudentClassifier:
    """The student with `network`, a changed copy of its own.

    Built anew from the encoder's configs and the ranks of its factorised layers, so that it is
    what a saved folder gives back.
    """
    ranks = {
        name: part[0].out_features for name, part in network.named_modules() if is_factorized(part)
    }
    config = replace(student.config, layers=network.encoder.configs, ranks=ranks)
    return student.with_(config, tensors=network.state_dict())
