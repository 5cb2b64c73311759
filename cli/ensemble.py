"""`biaoti ensemble`: several models as one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cli.options import add_source, add_verb, source_of
from cli.training import add_cache, cache_folder, save_model, say


def add_to(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "ensemble",
        ensemble,
        """
        biaoti ensemble artifacts/encoder artifacts/linear artifacts/fasttext \\
            --dev samples/dev.txt --output artifacts/ensemble
        biaoti evaluate artifacts/ensemble samples/test.txt
        """,
    )
    parser.add_argument(
        "models", nargs="+", type=Path, metavar="MODEL", help="folders, of any routes"
    )
    parser.add_argument(
        "--dev", required=True, metavar="FILE", help="titles to weigh and calibrate on"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the ensemble is saved"
    )
    add_cache(parser)
    add_source(parser)


def ensemble(options: argparse.Namespace) -> None:
    """Join several models into one, which pools their calibrated scores.

    The weights are those with the lowest loss on the dev file, and the pool is calibrated on it.
    The folder holds a copy of every model, and is used as any other: it can be evaluated, served,
    or be the teacher of 'biaoti distill'.
    """
    import numpy as np

    from models.artifact import load
    from models.ensemble import EnsembleClassifier, pool
    from training.calibrate import fit_temperature
    from training.compression.ensemble import fit_weights, name_members
    from training.compression.gate import accuracy
    from training.compression.teacher import cached_log_probabilities
    from training.corpus import load as load_rows

    members = name_members([load(folder) for folder in options.models])
    equal = [1 / len(members)] * len(members)
    EnsembleClassifier(members, equal)  # do they fit together? before they are scored
    titles, gold = load_rows(source_of(options, options.dev), next(iter(members.values())).labels)
    cache = cache_folder(options)
    scores = [cached_log_probabilities(each, titles, cache) for each in members.values()]
    weights = fit_weights(np.stack(scores), gold)
    for name, weight, row in zip(members, weights, scores, strict=True):
        say(f"{name}: weight {weight:.3f}, dev accuracy {accuracy(row, gold):.4f}")
    probabilities = pool(np.stack(scores), weights)
    save_model(
        options,
        EnsembleClassifier(members, weights.tolist()),
        fit_temperature(probabilities, gold),
        {name: member.manifest.provenance.trained_on for name, member in members.items()},
        {"members": {name: member.manifest.version for name, member in members.items()}},
        {"dev_accuracy": accuracy(probabilities, gold)},
    )
