"""The folder of a training run: what an interrupted one goes on from, until its model is saved."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from models.errors import FileError
from models.outputs import OutputKind, lacks
from models.staging import staged_file

RUN = OutputKind(
    "a run's folder",
    lacks("checkpoint.pt", "best.pt", "history.json", "curves.png", "events"),
    in_place=True,
)
"""What a run leaves, whenever it ends."""


@dataclass(frozen=True)
class RunFolder:
    """The checkpoint of a run and the best weights so far.

    Both stay when training ends, and after them the run can be repeated without a step: only who
    has saved the model that came of it calls `clean`, so that a failed save loses nothing.
    """

    path: Path

    @property
    def checkpoint(self) -> Path:
        """All that the run needs to go on as if it had not been interrupted."""
        return self.path / "checkpoint.pt"

    @property
    def best(self) -> Path:
        """The weights with the best score so far."""
        return self.path / "best.pt"

    def clean(self) -> None:
        """Remove what only a run needs whose model is not saved; history and curves stay."""
        for path in (self.checkpoint, self.best):
            path.unlink(missing_ok=True)

    def write_checkpoint(self, state: dict[str, Any]) -> None:
        _write(self.checkpoint, state)

    def write_best(self, weights: dict[str, Any]) -> None:
        _write(self.best, weights)

    def read_checkpoint(self) -> dict[str, Any] | None:
        """What `write_checkpoint` wrote last; None where no run has begun.

        Raises:
            FileError: it is damaged.
        """
        return _read(self.checkpoint) if self.checkpoint.exists() else None

    def read_best(self) -> dict[str, Any]:
        """What `write_best` wrote last.

        Raises:
            FileError: it is missing or damaged.
        """
        return _read(self.best)


def _write(path: Path, state: dict[str, Any]) -> None:
    with staged_file(path) as neighbour:
        torch.save(state, neighbour)


def _read(path: Path) -> dict[str, Any]:
    """A dict of tensors and plain values, verified by the checksums that the file holds.

    `torch.load` alone takes a tensor with flipped bits for good.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
        if broken:
            raise zipfile.BadZipFile(f"bad CRC-32 for '{broken}'")
        state: dict[str, Any] = torch.load(path, weights_only=True)
    except Exception as error:  # which one, of its readers', depends on the byte that is damaged
        raise FileError(
            f"{path} cannot be read ({error!r}), so this run cannot go on; restore it, or remove "
            f"the folder {path.parent} to start afresh"
        ) from error
    return state
