"""A teacher's scores, computed once and kept on disk."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from tqdm import tqdm

from models.artifact import LoadedModel
from models.calibration import apply_temperature, log_probabilities
from models.ensemble import EnsembleClassifier, pool
from models.errors import DataError

CHUNK = 1024
"""Titles scored between two writes to the disk."""


def cached_log_probabilities(
    teacher: LoadedModel, titles: Sequence[str], cache: Path, show_progress: bool = True
) -> np.ndarray:
    """The teacher's calibrated log-probabilities, read where they are known.

    They are kept title by title under the teacher's version, so an interrupted call goes on, and
    further titles cost what they cost alone. An ensemble's members are looked up one by one, so
    that a model that joins others scores anew what only it has not scored.

    Args:
        teacher: of any route.
        cache: a folder, which may be that of other teachers and titles, too.
    Returns:
        (titles, classes) float32, in the titles' order.
    Raises:
        DataError: a file of the cache is none.
    """
    ensemble = teacher.uncalibrated
    if isinstance(ensemble, EnsembleClassifier):
        members = ensemble.members.values()
        scores = [cached_log_probabilities(each, titles, cache, show_progress) for each in members]
        pooled = pool(np.stack(scores), ensemble.weights)
        calibrated = apply_temperature(pooled, teacher.manifest.temperature)
        return log_probabilities(calibrated).astype(np.float32)
    with _open(cache / f"{teacher.manifest.version}.sqlite") as store:
        keys = [_key(title) for title in titles]
        known = _read(store, keys)
        asked = {key: title for key, title in zip(keys, titles, strict=True) if key not in known}
        _score(teacher, asked, known, store, show_progress)
    found = b"".join(known[key] for key in keys)
    return np.frombuffer(found, np.float32).reshape(-1, len(teacher.labels)).copy()


def _score(
    teacher: LoadedModel,
    asked: dict[bytes, str],
    known: dict[bytes, bytes],
    store: sqlite3.Connection,
    show_progress: bool,
) -> None:
    """Score the titles `asked`, and add them to `known` and to the store."""
    rows = list(asked.items())
    with _bar(teacher, len(rows), show_progress) as bar:
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            probabilities = teacher.predict_proba([title for _, title in chunk])
            scores = log_probabilities(probabilities).astype(np.float32)
            new = {key: row.tobytes() for (key, _), row in zip(chunk, scores, strict=True)}
            with store:  # one transaction
                store.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", new.items())
            known |= new
            bar.update(len(chunk))


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """The scores of one model: (classes,) float32 by a title's hash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path, timeout=60)) as store:
            store.execute("CREATE TABLE IF NOT EXISTS scores (title BLOB PRIMARY KEY, row BLOB)")
            yield store
    except sqlite3.DatabaseError as error:
        raise DataError(f"scores cannot be kept in it: {error}; remove it", path) from error


def _read(store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    wanted = set(keys)
    return {key: row for key, row in store.execute("SELECT * FROM scores") if key in wanted}


def _key(title: str) -> bytes:
    return hashlib.sha256(title.encode("utf-8", "surrogatepass")).digest()[:16]


def _bar(teacher: LoadedModel, total: int, shown: bool) -> tqdm:
    return tqdm(
        total=total,
        desc=f"{teacher.manifest.name} scores",
        disable=not shown or not total,
        unit="title",
        mininterval=1 if os.isatty(2) else 30,
        dynamic_ncols=True,
    )
