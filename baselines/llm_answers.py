"""What a model behind an endpoint has answered and cost, kept so that nothing is paid for twice."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from models.errors import FileError
from models.staging import explained

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answered (title BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS paid (
    prompt_tokens INTEGER, completion_tokens INTEGER, titles INTEGER, seconds REAL
);
"""


@dataclass(frozen=True)
class Usage:
    """What requests have cost."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    titles: int = 0
    """That were asked, those asked again included."""
    seconds: float = 0.0
    """That the requests took, one after another."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))


class Answers:
    """Answers by a title's key, in a file that several threads write; each is on the disk at once.

    Args:
        path: of the file, one for a way of asking.
    Raises:
        FileError: it cannot be written.
    """

    def __init__(self, path: Path):
        self.path = path
        self._lock = threading.Lock()
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, closing(self._connect()) as connection, connection:
            connection.executescript(_SCHEMA)

    def known(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray | None]:
        """Probabilities by key, of what was answered; None where the answer meant nothing."""
        found: dict[bytes, np.ndarray | None] = {}
        with self._lock, closing(self._connect()) as connection:
            for key in dict.fromkeys(keys):
                rows = connection.execute("SELECT row FROM answered WHERE title = ?", (key,))
                for (row,) in rows:
                    found[key] = None if row is None else np.frombuffer(row, np.float32)
        return found

    def keep(self, keys: Sequence[bytes], rows: Sequence[np.ndarray | None], usage: Usage) -> None:
        """Keep what a request has brought, and what it cost, all or nothing."""
        blobs = [None if row is None else row.astype(np.float32).tobytes() for row in rows]
        with self._lock, closing(self._connect()) as connection, connection:
            connection.executemany(
                "INSERT OR REPLACE INTO answered VALUES (?, ?)", zip(keys, blobs, strict=True)
            )
            connection.execute("INSERT INTO paid VALUES (?, ?, ?, ?)", astuple(usage)[1:])

    def usage(self) -> Usage:
        """What all requests have cost so far, those of earlier runs included."""
        with self._lock, closing(self._connect()) as connection:
            row = connection.execute(
                "SELECT COUNT(*), TOTAL(prompt_tokens), TOTAL(completion_tokens), TOTAL(titles), "
                "TOTAL(seconds) FROM paid"
            ).fetchone()
        return Usage(int(row[0]), int(row[1]), int(row[2]), int(row[3]), row[4])

    @property
    def nonsense(self) -> int:
        """Titles whose answers meant nothing, though they were asked about alone."""
        with self._lock, closing(self._connect()) as connection:
            row = connection.execute("SELECT COUNT(*) FROM answered WHERE row IS NULL").fetchone()
        return int(row[0])

    def _connect(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(self.path, timeout=60)
        except sqlite3.OperationalError as error:
            raise FileError(f"{self.path}: answers cannot be kept in it ({error})") from error
