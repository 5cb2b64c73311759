"""One store of scores for all verbs: whoever asks first has a title scored, the others read it.

Scores are kept before calibration, title by title, in one file a model version. Another title
costs what it costs alone, and an interrupted call goes on where it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from tqdm import tqdm

from models.artifact import LoadedModel, Manifest
from models.cache import default_cache
from models.calibration import calibrated, log_probabilities
from models.classifier import Scores
from models.ensemble import EnsembleClassifier, pool
from models.title_text import clean
from scoring.score_table import ScoreTable, open_table, title_key

CHUNK = 1024
"""Titles given to a model at a time."""
WRITE_EVERY_S = 10.0
"""Seconds of work that a killed process may lose; an interrupted one loses none."""


class UnopenedModel(Protocol):
    """A model that is opened only where one of its scores is missing."""

    @property
    def manifest(self) -> Manifest: ...

    def open(self) -> LoadedModel: ...


class Found(NamedTuple):
    """Scores of titles, and what they cost.

    Attributes:
        scores: before calibration.
        scored: distinct titles that the model scored now; of an ensemble, its busiest member.
        seconds: that scoring them took; of an ensemble, of all members together.
    """

    scores: Scores
    scored: int
    seconds: float

    @property
    def raw(self) -> np.ndarray:
        """(n, classes) float32 probabilities before calibration."""
        return self.scores.probabilities


class ScoreStore:
    """Scores that models gave, read where they are known, computed and kept where they are not.

    Args:
        folder: of the files, one a model; `~/.cache/biaoti/scores` by default.
    """

    def __init__(self, folder: Path | None = None):
        self.folder = folder or default_cache() / "scores"

    def raw(
        self, model: LoadedModel | UnopenedModel, titles: Sequence[str], show_progress: bool = True
    ) -> np.ndarray:
        """Probabilities before calibration, (n, classes) float32. Raises as `find` does."""
        return self.find(model, titles, show_progress).raw

    def calibrated(
        self, model: LoadedModel | UnopenedModel, titles: Sequence[str], show_progress: bool = True
    ) -> np.ndarray:
        """Probabilities with the model's temperature, (n, classes) float32, as it serves them."""
        raw = self.raw(model, titles, show_progress)
        return calibrated(raw, titles, model.manifest.temperature)

    def find(
        self, model: LoadedModel | UnopenedModel, titles: Sequence[str], show_progress: bool = True
    ) -> Found:
        """The scores of `titles`, in their order.

        An ensemble's members are looked up one by one, so that a model that joins others scores
        anew what only it has not scored.

        Raises:
            DataError: the store's file of this model is none.
            ArtifactError: the model had to be opened, and cannot be trusted.
        """
        keys = [title_key(clean(title)) for title in titles]
        with open_table(self._path(model.manifest), len(model.manifest.labels)) as table:
            scores, known = table.read(keys)
            missing = np.flatnonzero(~known).tolist()
            if not missing:
                return Found(scores, 0, 0.0)
            asked = {keys[i]: titles[i] for i in missing}  # each once
            with nullcontext(model) if isinstance(model, LoadedModel) else model.open() as opened:
                new = self._score(opened, asked, table, show_progress)
        place = {key: i for i, key in enumerate(asked)}
        places = [place[keys[i]] for i in missing]
        for ours, theirs in zip(scores, new.scores, strict=True):
            ours[missing] = theirs[places]
        return Found(scores, new.scored, new.seconds)

    def _path(self, manifest: Manifest) -> Path:
        """The route is in it, since a reference runs the same version otherwise."""
        return self.folder / f"{manifest.route}-{manifest.version}.sqlite"

    def _score(
        self, model: LoadedModel, asked: Mapping[bytes, str], table: ScoreTable, show_progress: bool
    ) -> Found:
        """Score titles that the model's table lacks, given by their keys, and keep them in it."""
        if not isinstance(model.uncalibrated, EnsembleClassifier):
            return _score_in_chunks(model, asked, table, show_progress)
        new = self._pool(model.uncalibrated, list(asked.values()), show_progress)
        table.write(list(asked), new.scores)
        return new

    def _pool(
        self, ensemble: EnsembleClassifier, titles: Sequence[str], show_progress: bool
    ) -> Found:
        members = ensemble.members.values()
        found = [self.find(member, titles, show_progress) for member in members]
        probabilities = [
            calibrated(each.raw, titles, member.manifest.temperature)
            for each, member in zip(found, members, strict=True)
        ]
        pooled = pool(log_probabilities(np.stack(probabilities)), ensemble.weights)
        truncated = np.logical_or.reduce([each.scores.truncated for each in found])
        return Found(
            Scores(pooled, truncated),
            max(each.scored for each in found),
            sum(each.seconds for each in found),
        )


def _score_in_chunks(
    model: LoadedModel, asked: Mapping[bytes, str], table: ScoreTable, show_progress: bool
) -> Found:
    keys, titles = list(asked), list(asked.values())
    raw, truncated = np.empty((len(titles), table.classes), np.float32), np.empty(len(titles), bool)
    seconds, scored, written, written_at = 0.0, 0, 0, time.monotonic()

    def write() -> None:
        new = slice(written, scored)
        table.write(keys[new], Scores(raw[new], truncated[new]))

    with _bar(model, len(titles), show_progress) as bar:
        try:
            while scored < len(titles):
                chunk = slice(scored, scored + CHUNK)
                started = time.perf_counter()
                raw[chunk], truncated[chunk] = model.uncalibrated.score(titles[chunk])
                seconds += time.perf_counter() - started
                bar.update(len(titles[chunk]))
                scored += len(titles[chunk])
                if time.monotonic() - written_at >= WRITE_EVERY_S:
                    write()
                    written, written_at = scored, time.monotonic()
        finally:
            write()
    return Found(Scores(raw, truncated), len(titles), seconds)


def _bar(model: LoadedModel, total: int, shown: bool) -> tqdm:
    return tqdm(
        total=total,
        desc=f"{model.manifest.name} scores",
        disable=not shown,
        unit="title",
        mininterval=1 if os.isatty(2) else 30,
        dynamic_ncols=True,
    )
