"""Read one split once: what is wrong with each row, and 8 bytes by which to compare it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from models.labels import Labels
from titles.findings import Finding, Place
from titles.formats import read_records
from titles.normalisation import comparison_key, digest
from titles.record import Fault, Record
from titles.repair import needs_repair
from titles.rows import accepted_labels, judge
from titles.source import Source, resolve

CountTokens = Callable[[list[str]], list[int]]
Progress = Callable[[str, int], None]

BATCH_TITLES = 1024
PROGRESS_ROWS = 10_000


@dataclass
class SplitScan:
    """A split after one pass; the arrays and byte strings have an entry a usable row."""

    split: str
    path: str
    rows: int = 0
    findings: list[Finding] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("I"))
    labels: array[int] = field(default_factory=lambda: array("i"))
    characters: array[int] = field(default_factory=lambda: array("I"))
    tokens: array[int] = field(default_factory=lambda: array("I"))
    exact: bytearray = field(default_factory=bytearray)
    keys: bytearray = field(default_factory=bytearray)

    def exact_digests(self) -> np.ndarray:
        """(usable rows,) uint64: equal for equal titles."""
        return np.frombuffer(bytes(self.exact), np.uint64)

    def key_digests(self) -> np.ndarray:
        """(usable rows,) uint64: equal for titles that are equal after normalisation."""
        return np.frombuffer(bytes(self.keys), np.uint64)

    def find(self, code: str, line: int, detail: str = "", other: Place | None = None) -> None:
        """Add a finding."""
        self.findings.append(Finding(code, self.split, self.path, line, detail, other))

    def add(self, title: str, label: int | None, line: int) -> None:
        """Add a usable row, with what its title alone gives cause to warn of."""
        self.lines.append(line)
        self.labels.append(-1 if label is None else label)
        self.characters.append(len(title))
        self.exact += digest(title)
        self.keys += digest(comparison_key(title))
        if "\ufffd" in title:
            self.find("replacement-character", line)
        if needs_repair(title):
            self.find("untidy-spacing", line)
        if not title.isprintable() and any(map(_is_private_use, title)):
            self.find("private-use-character", line)


def scan_split(
    split: str,
    source: Source,
    labels: Labels | None,
    count_tokens: CountTokens | None = None,
    progress: Progress | None = None,
) -> SplitScan:
    """Read every row of a split, without stopping at faults.

    Raises:
        DataError: the source as a whole cannot be read.
    """
    source = resolve(source)
    scan = SplitScan(split, str(source.path))
    label_ids = accepted_labels(labels)
    batch: list[str] = []
    for record in read_records(source, labelled=labels is not None):
        if title := _scan_record(scan, record, label_ids):
            batch.append(title)
        if len(batch) == BATCH_TITLES:
            _count_batch(scan, batch, count_tokens)
        if progress is not None and scan.rows % PROGRESS_ROWS == 0:
            progress(split, scan.rows)
    _count_batch(scan, batch, count_tokens)
    if not scan.rows:
        scan.find("no-rows", 0)
    return scan


def _scan_record(scan: SplitScan, record: Record, label_ids: dict[str, int] | None) -> str | None:
    """The title of a record that can be used."""
    scan.rows += 1
    verdict = judge(record, label_ids)
    if isinstance(verdict, Fault):
        scan.find(verdict.code, record.line, verdict.detail)
        return None
    scan.add(record.title or "", verdict, record.line)
    return record.title


def _count_batch(scan: SplitScan, batch: list[str], count_tokens: CountTokens | None) -> None:
    if batch and count_tokens is not None:
        scan.tokens.extend(count_tokens(batch))
    batch.clear()


def _is_private_use(character: str) -> bool:
    return "\ue000" <= character <= "\uf8ff" or character >= "\U000f0000"
