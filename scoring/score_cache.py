"""Scores of a file by a model, kept on disk, so that an interrupted comparison goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from tqdm import tqdm

from evaluation.candidates import Candidate
from models.staging import staged_file

CHUNK = 256


def cached_scores(
    candidate: Candidate,
    titles: Sequence[str],
    folder: Path,
    show_progress: bool = True,
) -> np.ndarray:
    """Probabilities before calibration, (titles, classes) float32: read, or scored and kept.

    The file's name holds the model's version and the titles' hash, so scores of another model or
    of other titles are never taken for these.
    """
    digest = sha256(json.dumps(titles).encode()).hexdigest()
    path = folder / f"{candidate.key}-{digest[:12]}.npy"
    shape = (len(titles), len(candidate.manifest.labels))
    if path.is_file():
        found = _read(path)
        if found is not None and found.shape == shape:
            return found
    raw = _score(candidate, titles, show_progress)
    _keep_out_of_git(folder)
    with staged_file(path) as neighbour, neighbour.open("wb") as file:
        np.save(file, raw, allow_pickle=False)
    return raw


def _score(candidate: Candidate, titles: Sequence[str], show_progress: bool) -> np.ndarray:
    model = candidate.open().uncalibrated
    raw = np.empty((len(titles), len(model.labels)), dtype=np.float32)
    with tqdm(
        total=len(titles), desc=candidate.name, unit="title", disable=not show_progress
    ) as bar:
        for start in range(0, len(titles), CHUNK):
            chunk = titles[start : start + CHUNK]
            raw[start : start + len(chunk)] = model.predict_proba(chunk)
            bar.update(len(chunk))
    return raw


def _read(path: Path) -> np.ndarray | None:
    try:
        scores: np.ndarray = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return scores


def _keep_out_of_git(folder: Path) -> None:
    """Reports are checked in, the cache beside them is not."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
