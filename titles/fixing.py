"""Write cleaned copies of a set of splits next to the originals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.errors import UsageError
from models.outputs import OutputKind, claim_file, claim_folder, lacks
from models.staging import staged_file, staged_folder
from titles.checking import check
from titles.findings import CODES
from titles.formats import rewrite
from titles.label_ids import Classes
from titles.normalisation import normalise
from titles.record import Record
from titles.repair import repair
from titles.report import Report
from titles.source import Source, resolve

FEWEST_CHARACTERS = 2
"""A title that lost characters (U+FFFD) is kept if at least this many others are left."""

_DROPPED = (
    *(code for code, kind in CODES.items() if kind.severity == "error"),
    "leak-exact",
    "leak-normalised",
    "contradictory-label",
    "duplicate-exact",
    "duplicate-normalised",
)
"""Codes whose row is dropped; a row with several is counted under the first of them."""

_SAVED_DATASET = OutputKind("a saved dataset", lacks("state.json", "dataset_dict.json"))


@dataclass(frozen=True)
class FixResult:
    """What became of a split: the copy, its rows, and rows by the reason of drop or repair.

    A dropped row has one reason; a repaired title may have several.
    """

    path: Path
    rows_read: int
    rows_written: int
    dropped: dict[str, int]
    repaired: dict[str, int]

    def __str__(self) -> str:
        """One line for people."""
        parts = [f"{self.path}: {self.rows_written:,} of {self.rows_read:,} rows"]
        for verb, reasons in (("dropped", self.dropped), ("repaired", self.repaired)):
            if reasons:
                counts = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items())
                parts.append(f"{verb} {counts}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**vars(self), "path": str(self.path)}


def fix(
    splits: Mapping[str, Source],
    labels: Classes = None,
    report: Report | None = None,
    labelled: bool = True,
) -> dict[str, FixResult]:
    """Write `train.clean.txt` beside `train.txt`, and so on, in the same format.

    Dropped are: rows that cannot be used; titles of train that stand in dev or test, and of dev
    that stand in test (a test split never loses rows to leaks); of titles that stand twice in a
    split, with one label or two, all but the first. Repaired are spaces and control characters.
    A title with U+FFFD is kept, since what is left of it still tells its class, unless fewer than
    2 other letters, digits or symbols are left. The originals are never touched; an older cleaned
    copy is replaced.

    Args:
        labels, labelled: as for `check`.
        report: what `check` found in these very splits; None checks them first.
    Raises:
        UsageError: a source that no copy can be written next to (standard input, a hub dataset),
            or whose copy is another of the sources.
        DataError: a source as a whole cannot be read.
    """
    splits = {split: resolve(source) for split, source in splits.items()}
    targets = {split: _clean_path(source) for split, source in splits.items()}
    if len(set(targets.values())) < len(targets):
        raise UsageError("two splits are the same file; pass each file once")
    for split, target in targets.items():
        _claim(target, splits[split], [source.path for source in splits.values()])
    report = report or check(splits, labels, labelled=labelled)
    reasons: dict[str, dict[int, str]] = {split: {} for split in splits}
    for code in _DROPPED:
        for finding in report.findings:
            if finding.code == code:
                reasons[finding.split].setdefault(finding.line, code)
    return {
        split: _write_clean(source, targets[split], labelled, reasons[split])
        for split, source in splits.items()
    }


def _clean_path(source: Source) -> Path:
    path = Path(source.path)
    if source.is_stdin or not path.exists():
        raise UsageError(f"{path}: no copy can be written next to it; save it to a file first")
    if path.is_dir():
        split = f".{source.split}" if source.split else ""
        return path.with_name(f"{path.name}{split}.clean")
    return path.with_name(f"{path.stem}.clean{path.suffix}")


def _claim(target: Path, source: Source, read: list[str | Path]) -> None:
    if Path(source.path).is_dir():
        claim_folder(target, read, _SAVED_DATASET)
    else:
        claim_file(target, read)


def _write_clean(
    source: Source, target: Path, labelled: bool, reasons: dict[int, str]
) -> FixResult:
    dropped: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    rows_read = 0

    def edit(record: Record) -> str | None:
        nonlocal rows_read
        rows_read += 1
        reason = reasons.get(record.line) or _loss(record)
        if reason:
            dropped[reason] += 1
            return None
        title, repairs = repair(record.title or "")
        repaired.update(repairs)
        return title

    stage = staged_folder if Path(source.path).is_dir() else staged_file
    with stage(target) as neighbour:
        rewrite(source, neighbour, labelled, edit)
    written = rows_read - dropped.total()
    return FixResult(target, rows_read, written, dict(dropped), dict(repaired))


def _loss(record: Record) -> str | None:
    """The reason to drop a record that has no title, or of whose title too little is left."""
    if record.title is None:
        return record.fault.code if record.fault else "missing-title"
    if "\ufffd" not in record.title:
        return None
    left = normalise(record.title).replace("\ufffd", "")
    return "replacement-character" if len(left) < FEWEST_CHARACTERS else None
