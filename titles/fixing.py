"""Write cleaned copies of a set of splits next to the originals, and lists of what they lack."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.errors import DataError, UsageError
from models.outputs import OutputKind, claim_file, claim_folder, lacks
from models.staging import staged_file, staged_folder
from titles.checking import check
from titles.dropping import dropped_rows, objections
from titles.findings import Finding
from titles.formats import rewrite
from titles.label_ids import Classes
from titles.record import Record
from titles.repair import repair
from titles.report import Report
from titles.source import Source
from titles.source_format import resolve

_SAVED_DATASET = OutputKind("a saved dataset", lacks("state.json", "dataset_dict.json"))


@dataclass(frozen=True)
class FixResult:
    """What became of a split: the copy, its rows, and rows by the reason of drop or repair.

    A dropped row has one reason; a repaired title may have several.

    Attributes:
        dropped_list: the file that lists the dropped rows.
    """

    path: Path
    dropped_list: Path
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
        if self.dropped:
            parts.append(f"see {self.dropped_list}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**vars(self), "path": str(self.path), "dropped_list": str(self.dropped_list)}


@dataclass(frozen=True)
class _Outputs:
    """What is written of a split."""

    copy: Path
    dropped_list: Path

    @classmethod
    def of(cls, source: Source) -> _Outputs:
        path = Path(source.path)
        if source.is_stdin or not path.exists():
            raise UsageError(f"{path}: no copy can be written next to it; save it to a file first")
        name, suffix = path.stem, path.suffix
        if path.is_dir():
            name, suffix = path.name + (f".{source.split}" if source.split else ""), ""
        return cls(path.with_name(f"{name}.clean{suffix}"), path.with_name(f"{name}.dropped.csv"))

    def claim(self, source: Source, read: list[str | Path]) -> None:
        if Path(source.path).is_dir():
            claim_folder(self.copy, read, _SAVED_DATASET)
        else:
            claim_file(self.copy, read)
        claim_file(self.dropped_list, read)


def fix(
    splits: Mapping[str, Source],
    labels: Classes = None,
    report: Report | None = None,
    labelled: bool = True,
    force: bool = False,
) -> dict[str, FixResult]:
    """Write `train.clean.txt` beside `train.txt`, and so on, in the same format.

    Dropped are: rows that cannot be used; titles of train that stand in dev or test, and of dev
    that stand in test (a test split never loses rows to leaks); of titles that stand twice in a
    split, with one label or two, all but the first. Repaired are spaces and control characters.
    A title with U+FFFD is kept, since what is left of it still tells its class, unless fewer than
    2 other letters, digits or symbols are left. What is not dropped or repaired stays as it is,
    byte for byte, but for an encoding other than UTF-8. `train.dropped.csv` lists what is dropped,
    with line and reason. The originals are never touched; older copies and lists are replaced.

    Args:
        labels, labelled: as for `check`.
        report: what `check` found in these very splits; None checks them first.
        force: write copies whatever they lose.
    Raises:
        UsageError: a source that no copy can be written next to (standard input, a hub dataset),
            or whose copy is another of the sources.
        DataError: a source as a whole cannot be read, or so many rows would go that there must be
            a cause (see `titles.dropping.objections`); nothing is written.
    """
    splits = {split: resolve(source) for split, source in splits.items()}
    outputs = {split: _Outputs.of(source) for split, source in splits.items()}
    if len({each.copy for each in outputs.values()}) < len(outputs):
        raise UsageError("two splits are the same file; pass each file once")
    read = [each.path for each in splits.values()]
    for split, source in splits.items():
        if outputs[split].copy in map(Path, read):
            raise UsageError(
                f"{outputs[split].copy} is the cleaned copy of {source.path}; pass one of them"
            )
        outputs[split].claim(source, read)
    report = report or check(splits, labels, labelled=labelled)
    if not force:
        _refuse_losses(report)
    dropped = dropped_rows(report.findings)
    with ExitStack() as written:  # of all, before any takes its name
        return {
            split: _write_clean(source, outputs[split], labelled, dropped.get(split, {}), written)
            for split, source in splits.items()
        }


def _refuse_losses(report: Report) -> None:
    objected = objections(report)
    if objected:
        raise DataError(
            "\n  ".join(["no copy is written, since too much would be lost:", *objected])
            + "\nwith --force the copies are written all the same"
        )


def _write_clean(
    source: Source,
    outputs: _Outputs,
    labelled: bool,
    reasons: Mapping[int, Finding],
    written: ExitStack,
) -> FixResult:
    dropped: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    rows_read = 0
    list_row = written.enter_context(_dropped_list(outputs.dropped_list))

    def edit(record: Record) -> str | None:
        nonlocal rows_read
        rows_read += 1
        finding = reasons.get(record.line)
        if finding is not None:
            dropped[finding.code] += 1
            list_row(record, finding)
            return None
        title, repairs = repair(record.title or "")
        repaired.update(repairs)
        return title

    stage = staged_folder if Path(source.path).is_dir() else staged_file
    neighbour = written.enter_context(stage(outputs.copy))
    rewrite(source, neighbour, labelled, edit)
    if source.format in ("parquet", "excel") and not dropped and not repaired:
        shutil.copyfile(source.path, neighbour)
    return FixResult(
        outputs.copy,
        outputs.dropped_list,
        rows_read,
        rows_read - dropped.total(),
        dict(dropped),
        dict(repaired),
    )


@contextmanager
def _dropped_list(path: Path) -> Iterator[Callable[[Record, Finding], None]]:
    """A function that lists a row in the file, which is whole in the end or absent."""
    with (
        staged_file(path) as neighbour,
        neighbour.open("w", encoding="utf-8-sig", newline="", errors="backslashreplace") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(["line", "reason", "what", "title", "label"])

        def list_row(record: Record, finding: Finding) -> None:
            cells = [record.line, finding.code, finding.message, record.title, record.label]
            writer.writerow(cells)

        yield list_row
