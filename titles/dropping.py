"""Which rows a cleaned copy leaves out, and when so much would go that it is no cleaning."""

from __future__ import annotations

from collections.abc import Iterable

from titles.findings import CODES, Finding
from titles.report import Report, SplitSummary

DROPPED = (
    *(code for code, kind in CODES.items() if kind.severity == "error"),
    "leak-exact",
    "leak-normalised",
    "contradictory-label",
    "duplicate-exact",
    "duplicate-normalised",
    "lost-title",
)
"""Codes whose row is dropped; a row with several is counted under the first of them."""

FEW_ROWS = 3
FEW_SHARE = 0.01
"""So many rows, or this share of a split, may be unusable by chance; more have a cause."""


def dropped_rows(findings: Iterable[Finding]) -> dict[str, dict[int, Finding]]:
    """Of each split with any, the rows to drop by their line, each with its first reason."""
    rank = {code: place for place, code in enumerate(DROPPED)}
    dropped: dict[str, dict[int, Finding]] = {}
    for finding in sorted(
        (finding for finding in findings if finding.code in rank and finding.line),
        key=lambda finding: rank[finding.code],
    ):
        dropped.setdefault(finding.split, {}).setdefault(finding.line, finding)
    return dropped


def objections(report: Report) -> list[str]:
    """Why cleaned copies would lose what has to be looked at instead; empty where they would not.

    That is so where more than a few rows of a split cannot be used, where all rows with some
    label would go, and where nothing would be left.
    """
    return [
        f"{summary.path}: {objection}"
        for split, summary in report.splits.items()
        for objection in _objections(report, split, summary)
    ]


def _objections(report: Report, split: str, summary: SplitSummary) -> Iterable[str]:
    errors = [finding for finding in report.errors if finding.split == split]
    if not summary.rows:
        yield f"no rows; {CODES['no-rows'].remedy}"
        return
    if len(errors) > max(FEW_ROWS, FEW_SHARE * summary.rows):
        yield _many(errors, summary)
    elif shifted := _shifted(summary):
        yield shifted
    else:
        yield from _vanishing(summary)


def _many(errors: list[Finding], summary: SplitSummary) -> str:
    """The most frequent fault, in which a cause may be seen, with its first row."""
    counts: dict[str, int] = {}
    for finding in errors:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    code = max(counts, key=counts.__getitem__)
    first = next(finding for finding in errors if finding.code == code)
    shifted = _shifted(summary)
    return (
        f"{len(errors):,} of {summary.rows:,} rows cannot be used, {counts[code]:,} of them by "
        f"{code} as line {first.line}: {shifted or first.message}"
    )


def _shifted(summary: SplitSummary) -> str | None:
    """What is said of ids that count from 1: the last is unknown, and 0 does not occur."""
    classes = list(summary.classes or {})
    beyond = summary.unknown_labels.get(str(len(classes)), 0)
    if not beyond or (summary.classes or {})[classes[0]]:
        return None
    return (
        f"the labels seem to count from 1 to {len(classes)} and are read from 0 to "
        f"{len(classes) - 1}; subtract 1 from each, or write the names of the classes"
    )


def _vanishing(summary: SplitSummary) -> Iterable[str]:
    for name, count in summary.unknown_labels.items():
        if count > 1:
            yield (
                f"all rows with the label {name!r} would go ({count}), which is not one of the "
                f"{len(summary.classes or {})} labels; {CODES['unknown-label'].remedy}"
            )
    kept = summary.kept_classes or {}
    for name, count in (summary.classes or {}).items():
        if count and not kept[name]:
            yield (
                f"all titles of class {name!r} would go ({count}), as they stand elsewhere or are "
                "damaged; look at the findings"
            )
    if not summary.kept and not any((summary.classes or {}).values()):
        yield "no row would be left; look at the findings"
