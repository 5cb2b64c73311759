"""A teacher's scores, computed once and kept on disk."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from models.artifact import LoadedModel
from models.calibration import apply_temperature, log_probabilities
from models.ensemble import EnsembleClassifier, pool
from models.staging import staged_file

CHUNK = 1024
"""Titles scored between two writes to the disk."""


def cached_log_probabilities(
    teacher: LoadedModel, titles: Sequence[str], cache: Path, show_progress: bool = True
) -> np.ndarray:
    """The teacher's calibrated log-probabilities, read where they are known.

    A chunk's file is named by the teacher's version and the chunk's titles, so an interrupted call
    goes on, a second one scores nothing, and the scores of other titles are never taken for these.
    An ensemble's members are looked up one by one, so that a model that joins others scores anew
    what only it has not scored.

    Args:
        teacher: of any route.
        cache: a folder, which may be that of other teachers and titles, too.
    Returns:
        (titles, classes) float32, in the titles' order.
    """
    chunks = [titles[start : start + CHUNK] for start in range(0, len(titles), CHUNK)]
    scores = np.empty((len(titles), len(teacher.labels)), dtype=np.float32)
    with _bar(teacher, len(titles), show_progress) as bar:
        for number, chunk in enumerate(chunks):
            place = slice(number * CHUNK, number * CHUNK + len(chunk))
            scores[place] = _read_or_score(teacher, chunk, cache, f"{_key(chunk)}.npy")
            bar.update(len(chunk))
    return scores


def _read_or_score(
    teacher: LoadedModel, titles: Sequence[str], cache: Path, file_name: str
) -> np.ndarray:
    """(titles, classes) float32."""
    path = cache / teacher.manifest.version / file_name
    if path.exists():
        known: np.ndarray = np.load(path, allow_pickle=False)
        return known
    probabilities = _probabilities(teacher, titles, cache, file_name)
    scores = log_probabilities(probabilities).astype(np.float32)
    with staged_file(path) as neighbour, neighbour.open("wb") as file:
        np.save(file, scores, allow_pickle=False)
    return scores


def _probabilities(
    teacher: LoadedModel, titles: Sequence[str], cache: Path, file_name: str
) -> np.ndarray:
    """(titles, classes) calibrated; those of an ensemble from its members' own caches."""
    ensemble = teacher.uncalibrated
    if not isinstance(ensemble, EnsembleClassifier):
        return teacher.predict_proba(titles)
    members = ensemble.members.values()
    scores = [_read_or_score(member, titles, cache, file_name) for member in members]
    pooled = pool(np.stack(scores), ensemble.weights)
    return apply_temperature(pooled, teacher.manifest.temperature)


def _key(titles: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(titles)).encode()).hexdigest()[:24]


def _bar(teacher: LoadedModel, total: int, shown: bool) -> tqdm:
    return tqdm(
        total=total,
        desc=f"{teacher.manifest.name} scores",
        disable=not shown,
        unit="title",
        mininterval=1 if os.isatty(2) else 30,
        dynamic_ncols=True,
    )
