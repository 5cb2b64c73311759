"""Several models that answer as one: the log-linear pool of their calibrated scores.

    p(c) ∝ Π_m p_m(c)^w_m        w_m ≥ 0,  Σ_m w_m = 1
Source: Genest and Zidek 1986, "Combining Probability Distributions".
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from models import artifact
from models.artifact import LoadedModel
from models.calibration import log_probabilities, softmax
from models.classifier import Scores
from models.errors import CorruptArtifact, UsageError
from models.labels import Labels
from models.route import Route

LEAST = 1e-6
"""What a class that a member rules out counts as, so that no member has a veto."""

_CONFIG, _MEMBERS = "ensemble.json", "members"


def pool(log_scores: np.ndarray, weights: Sequence[float] | np.ndarray) -> np.ndarray:
    """Combine the members' scores.

    Args:
        log_scores: (members, n, classes), logarithms of probabilities.
        weights: (members,), which sum to 1.
    Returns:
        (n, classes) float32 probabilities.
    """
    weighted = np.tensordot(weights, np.maximum(log_scores, np.log(LEAST)), axes=1)
    return softmax(weighted)


class EnsembleClassifier(Route):
    """Scores titles with every member and pools what they say.

    Args:
        members: by name, which is also the name of the member's folder in the ensemble's.
        weights: of the members, in their order.
    Raises:
        UsageError: no member, a name that is no folder's, weights that are not shares of 1, or
            members of different classes.
    """

    route: ClassVar[str] = "ensemble"
    probe_tolerance: float = 0.02
    """The greatest of its members', each of which is held to its own."""

    def __init__(self, members: Mapping[str, LoadedModel], weights: Sequence[float]):
        _check(members, weights)
        self.members = dict(members)
        self.weights = tuple(weights)
        self.labels = next(iter(members.values())).labels
        self.max_length: int | None = None

    def score(self, titles: Sequence[str]) -> Scores:
        """A title is cut where at least one member does not see its end."""
        scores = [member.score(titles) for member in self.members.values()]
        logs = log_probabilities(np.stack([each.probabilities for each in scores]))
        truncated = np.logical_or.reduce([each.truncated for each in scores])
        return Scores(pool(logs, self.weights), truncated)

    def set_threads(self, threads: int) -> None:
        for member in self.members.values():
            member.set_threads(threads)

    def close(self) -> None:
        for member in self.members.values():
            member.close()

    def save_files(self, folder: Path) -> None:
        weights = dict(zip(self.members, self.weights, strict=True))
        (folder / _CONFIG).write_text(json.dumps({"weights": weights}, indent=2) + "\n")
        for name, member in self.members.items():
            shutil.copytree(member.folder, folder / _MEMBERS / name)

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        """Opens and verifies every member as an artifact of its own."""
        try:
            weights = json.loads((folder / _CONFIG).read_text())["weights"]
            _check_names(weights)
            members = {name: artifact.load(folder / _MEMBERS / name) for name in weights}
            return cls(members, list(weights.values()))
        except (OSError, ValueError, TypeError, KeyError, UsageError) as error:
            raise CorruptArtifact(f"{folder / _CONFIG} cannot be used: {error}") from error


def name_members(models: Sequence[LoadedModel]) -> dict[str, LoadedModel]:
    """The models by name; of those that share one, the second is `name-2`, and so on."""
    named: dict[str, LoadedModel] = {}
    for model in models:
        name, number = model.manifest.name, 1
        while name in named:
            number += 1
            name = f"{model.manifest.name}-{number}"
        named[name] = model
    return named


def _check(members: Mapping[str, LoadedModel], weights: Sequence[float]) -> None:
    if not members:
        raise UsageError("an ensemble needs at least one model")
    _check_names(members)
    if len(weights) != len(members) or min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
        raise UsageError(f"{len(members)} models need as many shares of 1, not {list(weights)}")
    (first, model), *others = members.items()
    for name, other in others:
        if other.labels.names != model.labels.names:
            raise UsageError(
                f"'{name}' has the classes {', '.join(other.labels.names)}, but '{first}' has "
                f"{', '.join(model.labels.names)}; train them with the same class.txt"
            )


def _check_names(names: Mapping[str, object]) -> None:
    """Raises: UsageError: a name that would lead out of the ensemble's folder."""
    for name in names:
        if not name or name in (".", "..") or Path(name).name != name:
            raise UsageError(f"'{name}' cannot be the name of a member's folder")
