"""Labels that are hardly classes: of one title, of none, or alike but for looks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from titles.findings import Finding
from titles.label_text import looks
from titles.protection import protection
from titles.scan import SplitScan

LARGE_CLASS = 10
"""Titles of the largest class, from which on another class of one title is remarkable."""


def find_suspects(scan: SplitScan) -> Iterator[Finding]:
    """Findings on the labels of a split; on how many titles a class has, only where one learns."""
    if scan.labels is None or not scan.lines:
        return
    sizes = np.bincount(scan.label_ids, minlength=len(scan.labels))
    yield from _alike(scan, sizes)
    if protection(scan.split) == 0:
        yield from _alone(scan, sizes)
        yield from _absent(scan, sizes)


def _alike(scan: SplitScan, sizes: np.ndarray) -> Iterator[Finding]:
    """The rows of each label that is a larger class's but for case, width, blanks, hyphens."""
    assert scan.labels is not None
    largest: dict[str, int] = {}
    for label_id in np.argsort(-sizes, kind="stable").tolist():
        name = scan.labels.names[label_id]
        twin = largest.setdefault(looks(name), label_id)
        if twin == label_id:
            continue
        detail = f"label {name!r} differs from {scan.labels.names[twin]!r} in looks only"
        for line in _lines(scan, label_id):
            yield scan.finding("similar-label", line, detail)


def _alone(scan: SplitScan, sizes: np.ndarray) -> Iterator[Finding]:
    assert scan.labels is not None
    if sizes.max() < LARGE_CLASS:
        return
    for label_id in np.flatnonzero(sizes == 1).tolist():
        if scan.meanings is not None and scan.meanings.says_nothing[label_id]:
            continue
        (line,) = _lines(scan, label_id)
        detail = f"the only title of class {scan.labels.names[label_id]!r}"
        yield scan.finding("class-of-one", line, detail)


def _absent(scan: SplitScan, sizes: np.ndarray) -> Iterator[Finding]:
    assert scan.labels is not None
    names = [scan.labels.names[i] for i in np.flatnonzero(sizes == 0)]
    if names:
        more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
        yield scan.finding("absent-class", 0, f"no title of {', '.join(names[:5])}{more}")


def _lines(scan: SplitScan, label_id: int) -> list[int]:
    places = np.flatnonzero(np.asarray(scan.label_ids) == label_id)
    return [scan.lines[place] for place in places]
