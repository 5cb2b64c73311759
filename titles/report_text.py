"""Lay a report out for people: tables in plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from titles.findings import CODES, Finding
from titles.report import Report

FIRST_PLACES = 3


def report_text(report: Report) -> str:
    """The tables of a report, a blank line between them."""
    parts = [_splits(report), *_findings(report), _lengths(report), *_classes(report)]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Rows of cells in columns, the first row being the header; a Chinese character is 2 wide.

    Args:
        left: the columns that are aligned left; the others are numbers and aligned right.
    """
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - _width(cell))
            cells.append(cell + padding if i in left else padding + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _splits(report: Report) -> str:
    rows = [["split", "rows", "usable", "errors", "warnings", "file"]]
    for split, summary in report.splits.items():
        errors = sum(finding.split == split for finding in report.errors)
        warnings = sum(finding.split == split for finding in report.warnings)
        numbers = (summary.rows, summary.usable, errors, warnings)
        rows.append([split, *(f"{number:,}" for number in numbers), summary.path])
    return table(rows, left=(0, 5))


def _findings(report: Report) -> list[str]:
    """A table of errors and one of warnings: each code with its count, first places, remedy."""
    first: dict[str, list[Finding]] = {}
    for finding in report.findings:
        places = first.setdefault(finding.code, [])
        if len(places) < FIRST_PLACES:
            places.append(finding)
    parts = []
    for severity in ("error", "warning"):
        rows = [[f"{severity}s", "count", "first places"]]
        for code, count in report.counts.items():
            if CODES[code].severity == severity:
                cells = [*map(_place, first[code]), f"-> {CODES[code].remedy}"]
                names = [[code, f"{count:,}"], *[["", ""]] * len(cells)]
                rows += [[*name, cell] for name, cell in zip(names, cells, strict=False)]
        parts.append(table(rows, left=(0, 2)) if len(rows) > 1 else f"no {severity}s")
    return parts


def _place(finding: Finding) -> str:
    if finding.other is not None:
        return f"{finding.place} = {finding.other}"
    return f"{finding.place}: {finding.detail}" if finding.detail else str(finding.place)


def _lengths(report: Report) -> str:
    rows = []
    for unit in ("characters", "tokens"):
        for split, summary in report.splits.items():
            lengths = getattr(summary, unit)
            if lengths:
                rows.append([f"{unit} a title, {split}", *(f"{n:,}" for n in lengths.values())])
                header = ["length", *lengths]
    return table([header, *rows]) if rows else ""


def _classes(report: Report) -> list[str]:
    """A table for the splits that have the same classes; newsrooms have labels of their own."""
    alike: dict[tuple[str, ...], dict[str, dict[str, int]]] = {}
    for split, summary in report.splits.items():
        if summary.classes is not None:
            alike.setdefault(tuple(summary.classes), {})[split] = summary.classes
    return [_class_table(report, names, balances) for names, balances in alike.items()]


def _class_table(
    report: Report, names: Sequence[str], balances: Mapping[str, Mapping[str, int]]
) -> str:
    rows = [["class", *(cell for split in balances for cell in (split, ""))]]
    for name in names:
        cells = []
        for split, classes in balances.items():
            count = classes[name]
            cells += [f"{count:,}", f"{count / max(report.splits[split].usable, 1):.1%}"]
        rows.append([name, *cells])
    return table(rows)
