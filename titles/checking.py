"""Check a set of splits: everything that is wrong with them, in one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from titles.class_map import ClassMap
from titles.dropping import dropped_rows
from titles.label_ids import Classes
from titles.repeats import find_repeats
from titles.report import PERCENTILES, Report, SplitSummary
from titles.scan import CountTokens, Progress, SplitScan, scan_splits
from titles.source import Source
from titles.suspects import find_suspects


def check(
    splits: Mapping[str, Source],
    labels: Classes = None,
    count_tokens: CountTokens | None = None,
    progress: Progress | None = None,
    labelled: bool = True,
    class_map: ClassMap | None = None,
) -> Report:
    """Read every row of every split once, and report all that is wrong.

    Rows that training cannot use are errors and are left out of every comparison; the rest are
    warnings. Of each usable title 24 bytes are held, so a million take some 100 MB.

    Args:
        splits: by name; `train`, `dev` (`valid`, `validation`) and `test` say which is held out.
        labels: the classes of all splits, or a file of their names; None finds each one's own, as
            `read` does, and matches their names with those of the split that is to be learned.
        count_tokens: how many tokens each of some titles has (of at most 1024 at a time).
        progress: called with a split's name and the rows read of it, every 10,000 rows.
        labelled: False leaves labels unread.
        class_map: what the labels of newsrooms mean.
    Raises:
        DataError: a source as a whole cannot be read (no such file, no such column), or the labels
            cannot be told.
    """
    return report_on(
        scan_splits(
            splits,
            labels,
            labelled=labelled,
            count_tokens=count_tokens,
            progress=progress,
            class_map=class_map,
        )
    )


def report_on(scans: Sequence[SplitScan]) -> Report:
    """What is wrong with splits that have been read, rows that stand twice among it."""
    findings = [finding for scan in scans for finding in scan.findings]
    for scan in scans:
        findings += find_suspects(scan)
    if scans:
        findings += find_repeats(scans)
    rank = {scan.split: i for i, scan in enumerate(scans)}
    findings.sort(key=lambda finding: (rank[finding.split], finding.line))
    dropped = dropped_rows(findings)
    summaries = {scan.split: _summary(scan, dropped.get(scan.split, {})) for scan in scans}
    return Report(summaries, findings)


def _summary(scan: SplitScan, dropped: Collection[int]) -> SplitSummary:
    kept = ~np.isin(scan.lines, list(dropped))
    return SplitSummary(
        path=scan.path,
        rows=scan.rows,
        usable=len(scan.lines),
        characters=_percentiles(scan.characters),
        tokens=None if scan.tokens is None else _percentiles(scan.tokens),
        classes=_classes(scan, np.ones_like(kept)),
        unknown_labels=dict(scan.unknown_labels),
        kept=int(kept.sum()),
        kept_classes=_classes(scan, kept),
        left_out=() if scan.meanings is None else scan.meanings.left_out,
    )


def _classes(scan: SplitScan, counted: np.ndarray) -> dict[str, int] | None:
    """Rows of each class, those alone that are counted; None where labels are not read."""
    if scan.labels is None:
        return None
    ids = np.asarray(scan.label_ids)[counted]
    counts = np.bincount(ids, minlength=len(scan.labels)).tolist()
    return dict(zip(scan.labels.names, counts, strict=True))


def _percentiles(lengths: Counter[int]) -> dict[str, int]:
    """Nearest-rank percentiles: each is a length that occurs. Empty when there is none."""
    if not lengths:
        return {}
    ascending = sorted(lengths)
    up_to = np.cumsum([lengths[length] for length in ascending])
    ranks = [-(-percent * lengths.total() // 100) for percent in PERCENTILES]
    found = [ascending[place] for place in np.searchsorted(up_to, ranks)]
    return {f"p{q}": n for q, n in zip(PERCENTILES, found, strict=True)} | {"max": ascending[-1]}
