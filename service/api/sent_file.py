"""A file that was sent: kept in a temporary file, and read row by row."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from tempfile import NamedTemporaryFile

from fastapi import Request

from models.errors import DataError
from scoring import answer_columns
from service.problems import InvalidRequest, Unavailable
from titles.byte_lines import ByteLines
from titles.columns import MissingColumn
from titles.extending import extend, mark_of_copy
from titles.record import Extendable
from titles.source import Source
from titles.source_format import format_of_line

logger = logging.getLogger("biaoti")


@dataclass(frozen=True)
class Asked:
    """How a file is to be read.

    Attributes:
        format: None where its first line has to tell.
    """

    format: str | None
    title_column: str | None
    model: str | None


async def kept(request: Request) -> Path:
    """The body, in a file that whoever reads it removes.

    Raises:
        Unavailable: there is no room for it.
    """
    try:
        with NamedTemporaryFile(prefix="biaoti-", delete=False) as file:
            path = Path(file.name)
            try:
                async for chunk in request.stream():
                    file.write(chunk)
                file.flush()
            except BaseException:
                path.unlink()
                raise
    except OSError as error:
        logger.error("a file that was sent cannot be kept: %s", error)
        raise Unavailable(
            "no_room", "there is no room to keep the file while it is read; send a smaller one"
        ) from error
    return path


class SentFile:
    """The rows of a file that was sent, to be read off the event loop.

    The file is removed by `close`, or when nobody holds its rows any more: of an answer whose
    client left before it began, no part is ever run.
    """

    def __init__(self, path: Path, how: Asked):
        self._path, self._how = path, how
        self.close = weakref.finalize(self, path.unlink, missing_ok=True)
        self.format = how.format or "txt"
        self._rows: Iterator[Extendable] = iter(())

    def begin(self) -> bytes:
        """What the answer begins with: the byte order mark that Excel needs, and the header.

        Raises:
            InvalidRequest: the file as a whole cannot be read.
        """
        try:
            return self._begin()
        except MissingColumn as error:
            detail = f"{error.what}; name it in the query: ?title_column=…"
        except DataError as error:
            detail = error.message
        raise InvalidRequest("unreadable_file", detail, where="body")

    def next(self, most: int) -> list[Extendable]:
        """So many of the next rows at most; none at the end."""
        return list(islice(self._rows, most))

    def _begin(self) -> bytes:
        unread = Source(self._path, "txt")
        first = next(iter(ByteLines(unread)), b"")
        if not first:
            raise DataError("the file is empty; send at least one title")
        self.format = self._how.format or format_of_line(
            first.decode(errors="replace"), self._how.title_column
        )
        source = Source(self._path, self.format, title_column=self._how.title_column)
        lines = ByteLines(source)
        rows = extend(source, lines, answer_columns.NAMES)
        begun = []
        for row in rows:
            if row.record is not None:
                self._rows = chain([row], rows)
                break
            begun.append(row.extended(answer_columns.NAMES))
        return mark_of_copy(lines, self.format) + b"".join(begun)
