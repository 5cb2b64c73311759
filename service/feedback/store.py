"""Corrections in a database: SQLite by default, PostgreSQL by its URL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, event, func, insert, make_url, select
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from models.errors import FileError, UsageError
from service.feedback.keeping import Contradiction, Correction
from service.feedback.tables import FEEDBACK

_MIGRATIONS = Path(__file__).parent / "migrations"
_WAIT_S = 10
_LOCK = 0x6269616F7469
"""A number for whoever migrates, of our own choice."""


class FeedbackStore:
    """Keeps corrections; what `add` has returned from survives the process's end.

    Args:
        url: as SQLAlchemy takes it, such as sqlite:///feedback.db.
    Raises:
        UsageError: no such database is known here.
        FileError: it cannot be opened.
    """

    def __init__(self, url: str):
        try:
            self._engine = create_engine(url, pool_pre_ping=True)
        except (ArgumentError, ModuleNotFoundError) as error:
            raise UsageError(f"'{_shown(url)}' is no database that can be used: {error}") from error
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _set_sqlite)
        try:
            self._migrate()
        except SQLAlchemyError as error:
            raise FileError(
                f"{_shown(url)} cannot be opened: {error.__cause__ or error}"
            ) from error

    def add(self, correction: Correction) -> bool:
        """Keep a correction; whether it is new.

        Raises:
            Contradiction: its id was given to another one.
        """
        correction = _storable(correction)
        row = asdict(correction) | {"received_at": datetime.now(UTC)}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(FEEDBACK), row)
        except IntegrityError:
            known = self._find(correction.id)
            if known is None:
                raise
            if known != correction:
                raise Contradiction(correction.id) from None
            return False
        return True

    def __iter__(self) -> Iterator[tuple[datetime, Correction]]:
        """All corrections with the time they came, the oldest first."""
        order = FEEDBACK.c.received_at, FEEDBACK.c.id
        with self._engine.connect() as connection:
            for row in connection.execute(select(FEEDBACK).order_by(*order)).mappings():
                yield _in_utc(row["received_at"]), _correction(dict(row))

    def close(self) -> None:
        """Give the connections back; it keeps nothing more."""
        self._engine.dispose()

    def _find(self, identifier: str) -> Correction | None:
        with self._engine.connect() as connection:
            found = connection.execute(select(FEEDBACK).where(FEEDBACK.c.id == identifier))
            row = found.mappings().first()
        return None if row is None else _correction(dict(row))

    def _migrate(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        with self._engine.begin() as connection:
            if self._engine.dialect.name == "postgresql":  # replicas may start at once
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _storable(correction: Correction) -> Correction:
    """Without the character NUL, which nobody sees and PostgreSQL does not keep."""
    kept: dict[str, Any] = {
        name: value.replace("\0", "") if isinstance(value, str) else value
        for name, value in asdict(correction).items()
    }
    return Correction(**kept)


def _in_utc(received: datetime) -> datetime:
    """SQLite gives times without their zone, PostgreSQL in its own."""
    return received.astimezone(UTC) if received.tzinfo else received.replace(tzinfo=UTC)


def _correction(row: dict[str, Any]) -> Correction:
    del row["received_at"]
    return Correction(**row)


def _set_sqlite(connection: Any, _: Any) -> None:
    """Readers and a writer at once; a commit is on the disk when it returns."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={1000 * _WAIT_S}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _shown(url: str) -> str:
    """Without the password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url
