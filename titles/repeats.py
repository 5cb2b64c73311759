"""Titles that stand more than once: duplicates, contradictory labels, leaks between splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from titles.findings import Finding, Place
from titles.newsroom_labels import NO_LABEL
from titles.protection import protection
from titles.scan import SplitScan


class _Seen(NamedTuple):
    """A row of a group of equal titles; `rank` is the place of its split among the splits."""

    rank: int
    line: int
    exact: int
    label: int


def find_repeats(scans: Sequence[SplitScan]) -> Iterator[Finding]:
    """Findings on every title that stands more than once among the usable rows.

    Within a split, or the files of one, the later row is named and refers to the first. Between
    splits the row of the less protected split is named (train before dev before test, else in the
    order given) and refers to the first such row of the other: that is the row to drop.
    """
    scans = sorted(scans, key=lambda scan: protection(scan.split))
    for group in _groups(scans):
        yield from _group_findings(group, scans)


def _groups(scans: Sequence[SplitScan]) -> Iterator[list[_Seen]]:
    """Rows with equal keys, two at least, each group in the order of splits and lines."""
    keys = np.concatenate([scan.keys for scan in scans])
    columns = (
        np.repeat(np.arange(len(scans)), [len(scan.lines) for scan in scans]),
        np.concatenate([scan.lines for scan in scans]),
        np.concatenate([scan.exact for scan in scans]),
        np.concatenate([scan.class_ids for scan in scans]),
    )
    order = np.argsort(keys, kind="stable")
    # A group starts where the sorted key differs from the one before.
    starts = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    ends = np.append(starts[1:], len(keys))
    for i in np.flatnonzero(ends - starts > 1):
        rows = order[starts[i] : ends[i]]
        yield [
            _Seen(*row) for row in zip(*(column[rows].tolist() for column in columns), strict=True)
        ]


def _group_findings(group: list[_Seen], scans: Sequence[SplitScan]) -> Iterator[Finding]:
    first: dict[int, _Seen] = {}
    first_exact: dict[tuple[int, int], _Seen] = {}
    for seen in group:
        first.setdefault(seen.rank, seen)
        first_exact.setdefault((seen.rank, seen.exact), seen)
    for seen in group:
        for rank in (rank for rank in first if rank >= seen.rank):
            kind = "duplicate" if scans[rank].role == scans[seen.rank].role else "leak"
            twin = first_exact.get((rank, seen.exact), seen)
            if twin is not seen:
                yield _finding(f"{kind}-exact", seen, twin, scans)
            elif first[rank] is not seen:
                yield _finding(f"{kind}-normalised", seen, first[rank], scans)
        if (other := _contradicted(seen, first)) is not None:
            yield _finding("contradictory-label", seen, other, scans)


def _finding(code: str, seen: _Seen, other: _Seen, scans: Sequence[SplitScan]) -> Finding:
    here, there = scans[seen.rank], scans[other.rank]
    place = Place(there.split, there.path, other.line)
    return Finding(code, here.split, here.path, seen.line, "", place)


def _contradicted(seen: _Seen, first: dict[int, _Seen]) -> _Seen | None:
    """The first row of this split, else of a more protected one, that has another label.

    Of labels that may mean several classes, none contradicts another.
    """
    for rank in sorted(first):
        labels = {first[rank].label, seen.label}
        if rank >= seen.rank and len(labels - {NO_LABEL}) > 1:
            return first[rank]
    return None
