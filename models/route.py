"""A route: a kind of title classifier that can be written to a folder and read back."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from models.classifier import Scores, TitleClassifier
from models.errors import ArtifactError
from models.labels import Labels

_GROUP = "biaoti.routes"


@runtime_checkable
class Route(TitleClassifier, Protocol):
    """What a route promises; one that inherits from it is given what most do alike."""

    route: ClassVar[str]
    """Its name in `artifact.json`, and that of its entry point."""
    probe_tolerance: float
    """The largest difference of a probe's score that another machine may show."""
    shared_by_threads: ClassVar[bool] = False
    """Whether several threads may score titles at once."""
    is_remote: ClassVar[bool] = False
    """Whether titles are sent to an endpoint: it may answer otherwise tomorrow, so nothing that a
    model's folder says of its answers holds, and its speed is not this machine's."""
    max_length: int | None
    """Tokens of a title that are read; None where no limit exists."""

    def score(self, titles: Sequence[str]) -> Scores: ...

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        return self.score(titles).probabilities

    def set_threads(self, threads: int) -> None:
        """Score on so many threads from now on; one that always takes a single one does nothing."""
        return

    def close(self) -> None:
        return

    def save_files(self, folder: Path) -> None:
        """Write what `load_files` reads into an empty folder."""
        ...

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        """The model whose files were written to `folder`.

        Raises:
            CorruptArtifact: they are not what `save_files` writes.
        """
        ...


def find_route(name: str) -> type[Route]:
    """The installed class that opens artifacts of the route `name`.

    Raises:
        ArtifactError: no such route; the message lists those there are.
    """
    found = {point.name: point for point in entry_points(group=_GROUP)}
    if name not in found:
        raise ArtifactError(
            f"unknown route '{name}'; this installation has: {', '.join(sorted(found))}"
        )
    route: type[Route] = found[name].load()
    return route
