"""The file of one model's scores, by a title's hash, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np

from models.classifier import Scores
from models.errors import DataError, FileError
from models.staging import explained

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS scored (title BLOB PRIMARY KEY, row BLOB, truncated INTEGER) "
    "WITHOUT ROWID"
)
_FETCHED = 10_000
"""Rows taken from SQLite at a time."""


class ScoreTable:
    """Scores of one model, that an open file holds.

    Args:
        classes: of the model, the length of a row.
    """

    def __init__(self, connection: sqlite3.Connection, classes: int):
        self._connection = connection
        self.classes = classes

    def read(self, keys: Sequence[bytes]) -> tuple[Scores, np.ndarray]:
        """The scores of these titles, each found by its hash: the others are not read.

        Returns:
            (scores, known): undefined where `known`, (n,) bool, is False.
        """
        rows = np.empty((len(keys), self.classes), np.float32)
        truncated = np.zeros(len(keys), bool)
        known = np.zeros(len(keys), bool)
        with self._connection as connection:  # a transaction, so that no lock stays behind
            connection.execute("CREATE TEMP TABLE asked (place INTEGER PRIMARY KEY, title BLOB)")
            connection.executemany("INSERT INTO asked VALUES (?, ?)", enumerate(keys))
            found = connection.execute(READ)
            while chunk := found.fetchmany(_FETCHED):
                places = [place for place, _, _ in chunk]
                blobs = b"".join(row for _, row, _ in chunk)
                if len(blobs) != rows[places].nbytes:
                    raise sqlite3.DatabaseError("a row has another length")
                rows[places] = np.frombuffer(blobs, np.float32).reshape(-1, self.classes)
                truncated[places] = [cut for _, _, cut in chunk]
                known[places] = True
            connection.execute("DROP TABLE asked")
        return Scores(rows, truncated), known

    def write(self, keys: Sequence[bytes], scores: Scores) -> None:
        """Keep the scores of the titles with these keys, all or none."""
        blobs = (row.astype(np.float32, copy=False).tobytes() for row in scores.probabilities)
        kept = zip(keys, blobs, scores.truncated.tolist(), strict=True)
        with self._connection as connection:
            connection.executemany("INSERT OR REPLACE INTO scored VALUES (?, ?, ?)", kept)


READ = "SELECT place, row, truncated FROM asked CROSS JOIN scored USING (title)"
"""A cross join goes through the titles asked for, and looks each up in the index."""


@contextmanager
def open_table(path: Path, classes: int) -> Iterator[ScoreTable]:
    """The scores in `path`, which is made where there is none.

    Raises:
        DataError: it is no such file, or damaged.
        FileError: it can be neither read nor written.
    """
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            connection.execute(_SCHEMA)
            yield ScoreTable(connection, classes)
    except sqlite3.OperationalError as error:  # of the disk, the rights or another process
        raise FileError(
            f"{path}: scores cannot be kept in it ({error}); make it and its folder writable, or "
            "pass another folder as --cache"
        ) from error
    except sqlite3.DatabaseError as error:
        raise DataError(f"scores cannot be kept in it: {error}; remove it", path) from error


def title_key(title: str) -> bytes:
    """What a title's row is found by: the first half of its SHA-256."""
    return sha256(title.encode("utf-8", "surrogatepass")).digest()[:16]
