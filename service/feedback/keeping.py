"""A correction, and whoever keeps it; apart from the database, so that the service needs none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from models.errors import MissingDependency


@dataclass(frozen=True)
class Correction:
    """What a person says of an answer.

    Attributes:
        id: of the client; the same again is the same correction.
        label: what the title is; None where it is of no class.
        answered: what the model had said, with the confidence `score`.
        by: whose key it came with.
    """

    id: str
    title: str
    label: str | None
    answered: str
    score: float | None
    model: str
    version: str
    by: str | None = None


class Contradiction(Exception):
    """Another correction was given the same id."""


class Keeping(Protocol):
    """Keeps corrections."""

    def add(self, correction: Correction) -> bool:
        """Keep a correction; whether it is new.

        Raises:
            Contradiction: its id was given to another one.
        """
        ...

    def __iter__(self) -> Iterator[tuple[datetime, Correction]]:
        """All corrections with the time they came, the oldest first."""
        ...

    def close(self) -> None:
        """Keep nothing more."""
        ...


def open_store(url: str) -> Keeping:
    """The database at an address as SQLAlchemy takes it; see `service.feedback.store`.

    Raises:
        MissingDependency: what a database needs is not installed.
        UsageError, FileError: it cannot be used.
    """
    try:
        from service.feedback.store import FeedbackStore
    except ModuleNotFoundError as error:
        raise MissingDependency(error.name or "sqlalchemy", "feedback") from error
    return FeedbackStore(url)
