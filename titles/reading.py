"""One pass over a source, which gives its records and says which data it was."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path

from models.errors import UsageError
from titles.byte_lines import ByteLines
from titles.formats import read_records
from titles.labelled import Fingerprint
from titles.record import Record
from titles.source import Source
from titles.source_format import resolve


class Reading:
    """The records of a source, to iterate over once; then also its fingerprint.

    The bytes of a file of lines are hashed while they are read, so that it is opened once.

    Args:
        labelled: whether a label is needed; else a missing label column is no fault.
    Attributes:
        source: resolved.
        fingerprint: there once the last record was given.
        lines: of a format of lines; tells the encoding once the first record was given.
    Raises:
        DataError: the source as a whole cannot be read.
    """

    fingerprint: Fingerprint

    def __init__(self, source: Source, labelled: bool):
        self.source = resolve(source)
        self._labelled = labelled
        self._content = sha256()
        self.lines = ByteLines(self.source, self._content.update)

    def __iter__(self) -> Iterator[Record]:
        content, rows = self._content, 0
        for record in read_records(self.source, self._labelled, self.lines):
            rows += 1
            if self.source.format == "dataset":
                line = f"{record.title or ''}\t{record.label or ''}\n"
                content.update(line.encode(errors="surrogatepass"))
            yield record
        if self.source.format in ("parquet", "excel"):  # not read from first byte to last
            with Path(self.source.path).open("rb") as file:
                content = file_digest(file, "sha256")
        self.fingerprint = Fingerprint(_name(self.source), rows, content.hexdigest())


def fingerprint(source: Source) -> Fingerprint:
    """Which data a source is, from a read of its own; `read` and the others tell it for nothing.

    Raises:
        UsageError: standard input, which can be read only once.
        DataError: the source as a whole cannot be read.
    """
    if source.is_stdin:
        raise UsageError("standard input has no fingerprint; write it to a file first")
    reading = Reading(source, labelled=False)
    for _ in reading:
        pass
    return reading.fingerprint


def _name(source: Source) -> str:
    if source.format != "dataset":
        return Path(source.path).name
    return str(source.path) if source.split is None else f"{source.path}:{source.split}"
