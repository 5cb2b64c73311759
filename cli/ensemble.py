"""`biaoti ensemble` and `biaoti average`: several models as one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import VerbParser, add_source, add_verb, source_of
from cli.training import add_cache, save_model, say, score_store

if TYPE_CHECKING:
    import numpy as np

    from models.artifact import LoadedModel, Route


def add_to(verbs: Any) -> None:
    joining = _add_joining(
        verbs,
        "ensemble",
        ensemble,
        """
        biaoti ensemble artifacts/encoder artifacts/linear artifacts/fasttext \\
            --dev samples/dev.txt --output artifacts/ensemble
        biaoti evaluate artifacts/ensemble samples/test.txt
        """,
        "folders, of any routes",
    )
    add_cache(joining)
    _add_joining(
        verbs,
        "average",
        average,
        """
        biaoti average artifacts/student-1 artifacts/student-2 --dev samples/dev.txt \\
            --output artifacts/student
        """,
        "folders of students",
    )


def ensemble(options: argparse.Namespace) -> None:
    """Join several models into one, which pools their calibrated scores.

    The weights are those with the lowest loss on the dev file, and the pool is calibrated on it.
    The folder holds a copy of every model, and is used as any other: it can be evaluated, served,
    or be the teacher of 'biaoti distill'.
    """
    import numpy as np

    from models.artifact import load
    from models.calibration import log_probabilities
    from models.ensemble import EnsembleClassifier, name_members, pool
    from scoring.metrics import accuracy
    from scoring.pooling import fit_weights
    from titles import read

    members = name_members([load(folder) for folder in options.models])
    equal = [1 / len(members)] * len(members)
    EnsembleClassifier(members, equal)  # do they fit together? before they are scored
    dev = read(source_of(options, options.dev), next(iter(members.values())).labels)
    store, gold = score_store(options), dev.label_ids
    scores = np.stack([store.calibrated(each, dev.titles) for each in members.values()])
    log_scores = log_probabilities(scores)
    weights = fit_weights(log_scores, gold)
    for name, weight, row in zip(members, weights, scores, strict=True):
        say(f"{name}: weight {weight:.3f}, dev accuracy {accuracy(row, gold):.4f}")
    pooled = pool(log_scores, weights)
    joined = EnsembleClassifier(members, weights.tolist())
    _save_joined(options, joined, "members", members, pooled, gold)


def average(options: argparse.Namespace) -> None:
    """Make one student of several: each of its weights is the mean of theirs.

    They must have the same shape and tokenizer, and come from one another, as those that
    'biaoti distill --start' makes do. The result is as large and as fast as one of them; it is
    calibrated on the dev file.
    """
    from models.artifact import load
    from models.ensemble import name_members
    from scoring.metrics import accuracy
    from titles import read
    from training.compression import averaging
    from training.compression.conversion import as_student

    members = name_members([load(folder) for folder in options.models])
    student = averaging.average([as_student(member) for member in members.values()])
    dev = read(source_of(options, options.dev), student.labels)
    titles, gold = dev.titles, dev.label_ids
    for name, member in members.items():
        say(f"{name}: dev accuracy {accuracy(member.predict_proba(titles), gold):.4f}")
    _save_joined(options, student, "averaged", members, student.predict_proba(titles), gold)


def _save_joined(
    options: argparse.Namespace,
    model: Route,
    joined_as: str,
    members: Mapping[str, LoadedModel],
    dev_scores: np.ndarray,
    gold: np.ndarray,
) -> None:
    """Calibrate the model on what it scored on the dev file, and save it.

    Args:
        joined_as: what the manifest calls the models that it was made of.
        dev_scores: (titles, classes) probabilities, not calibrated.
    """
    from scoring.metrics import accuracy
    from scoring.temperature import fit_temperature

    save_model(
        options,
        model,
        fit_temperature(dev_scores, gold),
        {name: member.manifest.provenance.trained_on for name, member in members.items()},
        {joined_as: {name: member.manifest.version for name, member in members.items()}},
        {"dev_accuracy": accuracy(dev_scores, gold)},
    )


def _add_joining(verbs: Any, name: str, run: Any, examples: str, joined: str) -> VerbParser:
    parser = add_verb(verbs, name, run, examples)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL", help=joined)
    parser.add_argument(
        "--dev", required=True, metavar="FILE", help="titles to choose and calibrate on"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the result is saved"
    )
    add_source(parser)
    return parser
