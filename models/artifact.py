"""The folder a model is saved in: write, verify, load.

`artifact.json` says what the model is and lists every other file with its size and SHA-256.
Loading checks them all, opens the route that is named, replays the probe titles and refuses a
model that scores them differently on this machine. Nothing in the folder is ever executed: routes
come from the installed program alone (entry points of the group `biaoti.routes`).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from models import probes
from models.calibration import calibrated
from models.classifier import Prediction, Scores, rank
from models.errors import CorruptArtifact, DataError, UsageError
from models.labels import Labels
from models.listed_files import list_files, verify
from models.machine import available_threads
from models.manifest import CARD, MANIFEST, Ingredient, Manifest, Provenance, version_of
from models.probes import PROBE_TITLES
from models.route import Route, find_route
from models.staging import staged_folder

__all__ = [
    "CARD",
    "DEFAULT_FOLDER",
    "MANIFEST",
    "PROBE_TITLES",
    "Ingredient",
    "LoadedModel",
    "Manifest",
    "Provenance",
    "Route",
    "code_revision",
    "find_route",
    "load",
    "save",
    "verify",
]

DEFAULT_FOLDER = Path(__file__).parent / "released"
"""The model that is used where none is named: the one that ships with the program."""


class LoadedModel:
    """A verified model: calibrated scores, and what its manifest says.

    As a context manager, it is closed at the end of the block.
    """

    def __init__(self, folder: Path, manifest: Manifest, uncalibrated: Route):
        self.folder = folder
        self.manifest = manifest
        self.uncalibrated = uncalibrated
        """The same model without its temperature."""
        self.labels = uncalibrated.labels

    def score(self, titles: Sequence[str]) -> Scores:
        """Calibrated scores, and which titles were cut, in one pass over their tokens."""
        raw = self.uncalibrated.score(titles)
        return raw._replace(probabilities=self._calibrated(raw.probabilities, titles))

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        """Calibrated probabilities, (titles, classes) float32."""
        return self._calibrated(self.uncalibrated.predict_proba(titles), titles)

    def predictions(
        self, titles: Sequence[str], raw: Scores, top_k: int = 1, is_calibrated: bool = True
    ) -> list[Prediction]:
        """What is said of titles by their scores before calibration, which is done here.

        Args:
            is_calibrated: False leaves the scores as they are, and no title unknown.
        """
        if not is_calibrated:
            return rank(titles, raw, self.labels, top_k)
        shown = raw._replace(probabilities=self._calibrated(raw.probabilities, titles))
        return rank(titles, shown, self.labels, top_k, self.manifest.threshold)

    def set_threads(self, threads: int) -> None:
        """Score on so many threads from now on."""
        self.uncalibrated.set_threads(threads)

    def close(self) -> None:
        """End the model's threads; it scores nothing from then on. It may be called again."""
        self.uncalibrated.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _calibrated(self, raw: np.ndarray, titles: Sequence[str]) -> np.ndarray:
        return calibrated(raw, titles, self.manifest.temperature)


def save(
    model: Route,
    folder: Path,
    *,
    name: str | None = None,
    temperature: float = 1.0,
    threshold: float = 0.0,
    provenance: Provenance | None = None,
) -> Manifest:
    """Write `model` to `folder`, which is replaced as a whole or not at all; its card stays.

    Args:
        name: what the model is called; the folder's name by default.
        temperature: divides the log-probabilities before they are shown as confidence.
        threshold: confidence below which the answer is "unknown"; 0 = never.
    Raises:
        ArtifactError: the model scores a probe title with NaN or infinity.
    """
    answers = probes.answer(model)
    with staged_folder(folder) as staging:
        model.save_files(staging)
        files = list_files(staging)
        manifest = Manifest(
            name=name or folder.name,
            version=version_of(files, model.labels.names, temperature, threshold),
            route=model.route,
            labels=model.labels.names,
            display_names=model.labels.display_names,
            max_length=model.max_length,
            temperature=temperature,
            threshold=threshold,
            provenance=provenance or Provenance(),
            code_revision=code_revision(),
            files=files,
            probes=answers,
        )
        manifest.write(staging)
        if (folder / CARD).is_file():
            shutil.copy2(folder / CARD, staging / CARD)
    return manifest


def load(folder: Path | str = DEFAULT_FOLDER, threads: int | None = None) -> LoadedModel:
    """Verify a model's folder and open it.

    Args:
        threads: to score on; as many as affinity and the container's quota allow where None.
    Raises:
        UsageError: fewer threads than one.
        ArtifactError: not a model, or one whose route this installation does not have.
        CorruptArtifact: a file is missing, changed or not listed.
        ProbeMismatch: the model scores its probe titles differently on this machine.
        MissingDependency: the route needs a package that is not installed.
    """
    if threads is not None and threads < 1:
        raise UsageError(f"a model needs at least one thread, not {threads}")
    folder = Path(folder)
    manifest = Manifest.read(folder)
    verify(folder, manifest)
    try:
        labels = Labels(manifest.labels, manifest.display_names)
    except DataError as error:
        raise CorruptArtifact(f"{folder / MANIFEST}: {error}") from error
    model = find_route(manifest.route).load_files(folder, labels, manifest.max_length)
    model.set_threads(threads or available_threads())
    if not model.is_remote:
        probes.replay(manifest, model)
    return LoadedModel(folder, manifest, model)


def code_revision() -> str:
    """The commit of the running code, with `+changes` where it differs; else `unknown`."""
    root = Path(__file__).parent
    try:
        run = subprocess.run(
            ["git", "describe", "--always", "--dirty=+changes", "--abbrev=12"],
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()
