"""Check a set of splits: everything that is wrong with them, in one report."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.labels import Labels
from titles.repeats import find_repeats
from titles.report import PERCENTILES, Report, SplitSummary
from titles.scan import CountTokens, Progress, SplitScan, scan_split
from titles.source import Source


def check(
    splits: Mapping[str, Source],
    labels: Labels | None,
    count_tokens: CountTokens | None = None,
    progress: Progress | None = None,
) -> Report:
    """Read every row of every split once, and report all that is wrong.

    Rows that training cannot use are errors and are left out of every comparison; the rest are
    warnings. Of each usable title 24 bytes are held, so a million take some 100 MB.

    Args:
        splits: by name; `train`, `dev` (`valid`, `validation`) and `test` say which is held out.
        labels: the classes; None leaves labels unread.
        count_tokens: how many tokens each of some titles has (of at most 1024 at a time).
        progress: called with a split's name and the rows read of it, every 10,000 rows.
    Raises:
        DataError: a source as a whole cannot be read (no such file, no such column).
    """
    scans = [
        scan_split(split, source, labels, count_tokens, progress)
        for split, source in splits.items()
    ]
    findings = [finding for scan in scans for finding in scan.findings]
    if scans:
        findings += find_repeats(scans)
    rank = {split: i for i, split in enumerate(splits)}
    findings.sort(key=lambda finding: (rank[finding.split], finding.line))
    summaries = {scan.split: _summary(scan, labels, count_tokens) for scan in scans}
    return Report(summaries, findings)


def _summary(
    scan: SplitScan, labels: Labels | None, count_tokens: CountTokens | None
) -> SplitSummary:
    classes = None
    if labels is not None:
        counts = np.bincount(np.asarray(scan.labels), minlength=len(labels)).tolist()
        classes = dict(zip(labels.names, counts, strict=True))
    return SplitSummary(
        path=scan.path,
        rows=scan.rows,
        usable=len(scan.lines),
        characters=_percentiles(np.asarray(scan.characters)),
        tokens=None if count_tokens is None else _percentiles(np.asarray(scan.tokens)),
        classes=classes,
    )


def _percentiles(lengths: np.ndarray) -> dict[str, int]:
    """Nearest-rank percentiles: each is a length that occurs. Empty when there is none."""
    if not len(lengths):
        return {}
    found = {f"p{q}": int(np.percentile(lengths, q, method="inverted_cdf")) for q in PERCENTILES}
    return found | {"max": int(lengths.max())}
