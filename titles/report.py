"""What a check found, for programs; `report_text` lays it out for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from models.remark import Remark
from titles.findings import CODES, Finding

PERCENTILES = (1, 50, 90, 99)


@dataclass(frozen=True)
class SplitSummary:
    """A split in numbers.

    Attributes:
        path: as the source gives it.
        rows: all, usable or not.
        usable: without errors; the numbers below are of these.
        characters: lengths, {"p1", "p50", "p90", "p99", "max"}; empty without usable rows.
        tokens: the same in tokens; None when they were not counted.
        classes: rows of each class, by name, in the order of the labels; None without labels.
        unknown_labels: rows of each label that is no class, whatever else is wrong with them.
        kept: rows that a cleaned copy holds.
        kept_classes: those of each class.
        left_out: labels that tell nothing, as a class map says; their titles are not learned.
    """

    path: str
    rows: int
    usable: int
    characters: dict[str, int]
    tokens: dict[str, int] | None
    classes: dict[str, int] | None
    unknown_labels: dict[str, int] = field(default_factory=dict)
    kept: int = 0
    kept_classes: dict[str, int] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def learned(self) -> dict[str, int]:
        """Rows of each class, without the labels that tell nothing; none without labels."""
        classes = self.classes or {}
        return {name: rows for name, rows in classes.items() if name not in self.left_out}


@dataclass(frozen=True)
class Report:
    """Everything that a check found; findings in the order of the splits, then of the lines.

    Attributes:
        remarks: what is remarkable about the files as a whole.
    """

    splits: dict[str, SplitSummary]
    findings: list[Finding]
    remarks: list[Remark] = field(default_factory=list)

    @cached_property
    def errors(self) -> list[Finding]:
        """Rows that training cannot use."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @cached_property
    def warnings(self) -> list[Finding]:
        """Rows that training can use and had better not."""
        return [finding for finding in self.findings if finding.severity == "warning"]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Findings of each code, in the order of `CODES`, without those that are 0."""
        found = dict.fromkeys(CODES, 0)
        for finding in self.findings:
            found[finding.code] += 1
        return {code: count for code, count in found.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with all findings."""
        return {
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "counts": self.counts,
            "splits": {split: asdict(summary) for split, summary in self.splits.items()},
            "findings": [finding.to_dict() for finding in self.findings],
            "remarks": [asdict(remark) for remark in self.remarks],
        }
