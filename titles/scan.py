"""Read one split once: what is wrong with each row, and by what to compare it with others."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from models.labels import Labels
from models.text_encoding import UTF_8
from titles.class_map import ClassMap, LabelMeanings
from titles.findings import Finding, Place
from titles.label_ids import Classes, LabelIds, given_classes, label_ids_of, mapped_label_ids
from titles.labelled import Fingerprint, LabelledTitles
from titles.newsroom_labels import NewsroomLabels
from titles.normalisation import comparison_key, normalise
from titles.protection import protection, role_of
from titles.reading import Reading
from titles.record import Fault, Record
from titles.repair import needs_repair
from titles.rows import judge
from titles.source import Source

CountTokens = Callable[[list[str]], list[int]]
Progress = Callable[[str, int], None]

BATCH_TITLES = 1024
PROGRESS_ROWS = 10_000
FEWEST_CHARACTERS = 2
"""A title that lost characters (U+FFFD) still says something if so many others are left."""


@dataclass
class SplitScan:
    """A split after one pass.

    Attributes:
        rows: all, usable or not; what follows is of the usable ones.
        lines, label_ids: (n,)
        exact: (n,) hashes, equal for equal titles.
        keys: (n,) hashes, equal for titles that are equal after normalisation.
        characters, tokens: how many titles have how many; tokens None unless counted.
        titles, dates: empty unless they are kept.
        labels: None where they are not read.
        meanings: what these are in the classes of a model, where they are a newsroom's.
        unknown_labels: rows of each label that is no class.
    """

    split: str
    path: str
    newsroom: str | None = None
    meanings: LabelMeanings | None = None
    rows: int = 0
    findings: list[Finding] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("I"))
    label_ids: array[int] = field(default_factory=lambda: array("i"))
    exact: array[int] = field(default_factory=lambda: array("q"))
    keys: array[int] = field(default_factory=lambda: array("q"))
    characters: Counter[int] = field(default_factory=Counter)
    tokens: Counter[int] | None = None
    titles: list[str] = field(default_factory=list)
    dates: list[str | None] = field(default_factory=list)
    labels: Labels | None = None
    unknown_labels: Counter[str] = field(default_factory=Counter)
    fingerprint: Fingerprint | None = None

    def finding(
        self, code: str, line: int, detail: str = "", other: Place | None = None
    ) -> Finding:
        """A finding on one of the split's rows, or on the split as a whole (line 0)."""
        return Finding(code, self.split, self.path, line, detail, other)

    def find(self, code: str, line: int, detail: str = "") -> None:
        """Add a finding."""
        self.findings.append(self.finding(code, line, detail))

    def add(self, title: str, label_id: int, line: int) -> None:
        """Add a usable row, with what its title alone gives cause to warn of."""
        self.lines.append(line)
        self.label_ids.append(label_id)
        # 64 bits stand for a title: two of a million share them with a chance of 1 in 37 million.
        self.exact.append(hash(title))
        self.keys.append(hash(comparison_key(title)))
        self.characters[len(title)] += 1
        if "\ufffd" in title:
            left = normalise(title).replace("\ufffd", "")
            lost = len(left) < FEWEST_CHARACTERS
            self.find("lost-title" if lost else "replacement-character", line)
        if needs_repair(title):
            self.find("untidy-spacing", line)
        if not title.isprintable() and any(map(_is_private_use, title)):
            self.find("private-use-character", line)

    @property
    def role(self) -> str:
        """What the split is to a model."""
        return role_of(self.split)

    @property
    def class_ids(self) -> np.ndarray:
        """(n,) int64: the class of each row whose label means exactly one, else `NO_LABEL`."""
        ids = np.asarray(self.label_ids, np.int64)
        return ids if self.meanings is None else self.meanings.newsroom_labels(ids).class_ids()

    def labelled(self) -> LabelledTitles:
        """The titles, where they and their labels were kept; without those that tell nothing."""
        assert self.labels is not None
        assert self.fingerprint is not None
        ids = np.asarray(self.label_ids, np.int64)
        if self.meanings is None:
            named = self.newsroom and NewsroomLabels.of_classes(
                self.newsroom, self.labels.names, ids
            )
            return LabelledTitles(
                self.titles, ids, self.labels, self.fingerprint, named or None, self.dates
            )
        telling = np.flatnonzero(~self.meanings.says_nothing[ids])
        titles, dates = [self.titles[i] for i in telling], [self.dates[i] for i in telling]
        labels = self.meanings.newsroom_labels(ids[telling])
        classes = self.meanings.classes
        return LabelledTitles(titles, labels.class_ids(), classes, self.fingerprint, labels, dates)


def scan_splits(
    splits: Mapping[str, Source],
    given: Classes,
    wanted: Labels | None = None,
    labelled: bool = True,
    keep_titles: bool = False,
    count_tokens: CountTokens | None = None,
    progress: Progress | None = None,
    class_map: ClassMap | None = None,
) -> list[SplitScan]:
    """Read every row of every split once, without stopping at faults.

    Args:
        given: the classes of all splits, in place of each one's own.
        wanted: the classes whose places the ids are to be; where None, those of the split that
            is least held out, by its name, of several such the first.
        labelled: whether labels are read.
        keep_titles: hold the titles; else 24 bytes stand for each.
        class_map: what the labels of newsrooms mean; where it speaks of a source's newsroom, the
            scan's labels are that newsroom's own.
    Raises:
        DataError: a source as a whole cannot be read, or the labels cannot be told.
    """
    scans: dict[str, SplitScan] = {}
    numbering = wanted
    mapped = {split for split in splits if class_map and class_map.speaks_of(splits[split])}
    for split in sorted(splits, key=lambda split: (split in mapped, protection(split))):
        source = splits[split]
        scan = SplitScan(split, str(source.path), source.newsroom)
        label_ids = None
        if labelled and class_map and split in mapped:
            wanted = wanted or given_classes(given) or class_map.classes
            scan.meanings = class_map.of(source, wanted)
            label_ids = mapped_label_ids(source, scan.meanings)
        elif labelled:
            label_ids = label_ids_of(source, given, wanted, numbering)
        _fill(scan, source, label_ids, keep_titles, count_tokens, progress)
        if label_ids is not None and wanted is None:
            wanted, numbering = scan.labels, label_ids.numbering
        scans[split] = scan
    return [scans[split] for split in splits]


def _fill(
    scan: SplitScan,
    source: Source,
    label_ids: LabelIds | None,
    keep_titles: bool,
    count_tokens: CountTokens | None,
    progress: Progress | None,
) -> None:
    reading = Reading(source, labelled=label_ids is not None)
    scan.path = str(reading.source.path)
    tokens: Counter[int] = Counter()
    records = _usable_records(scan, reading, label_ids, progress)
    while batch := list(islice(records, BATCH_TITLES)):
        titles = [record.title or "" for record in batch]
        if keep_titles:
            scan.titles += titles
            scan.dates += [record.date for record in batch]
        if count_tokens is not None:
            tokens.update(count_tokens(titles))
    scan.tokens = None if count_tokens is None else tokens
    if not scan.rows:
        scan.find("no-rows", 0)
    if (encoding := reading.lines.encoding) != UTF_8:
        scan.find("other-encoding", 0, f"the file is {encoding}, not UTF-8")
    if label_ids is not None:
        scan.labels, scan.label_ids = label_ids.settle(scan.label_ids)
        if scan.meanings is not None:
            scan.meanings = scan.meanings.with_unlisted(scan.labels)
    scan.fingerprint = reading.fingerprint


def _usable_records(
    scan: SplitScan, reading: Reading, label_ids: LabelIds | None, progress: Progress | None
) -> Iterator[Record]:
    """The usable rows, each once it stands in the scan."""
    for record in reading:
        scan.rows += 1
        verdict = judge(record, label_ids)
        if isinstance(verdict, Fault):
            scan.find(verdict.code, record.line, verdict.detail)
            if verdict.code == "unknown-label" and record.label is not None:
                scan.unknown_labels[record.label] += 1
        else:
            scan.add(record.title or "", verdict, record.line)
            if scan.meanings is not None and not scan.meanings.lists(verdict):
                scan.find("unmapped-label", record.line, scan.meanings.unmapped(record.label))
            yield record
        if progress is not None and scan.rows % PROGRESS_ROWS == 0:
            progress(scan.split, scan.rows)


def _is_private_use(character: str) -> bool:
    return "\ue000" <= character <= "\uf8ff" or character >= "\U000f0000"
