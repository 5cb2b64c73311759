"""Whatever a file holds: it is read or refused, and what a fix leaves out is told."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from models.errors import BiaotiError, DataError
from models.labels import Labels
from tests.titles.strategies import CLASSES, any_bytes, files, rows, write_parquet
from titles import FixResult, Source, check, fix, read, read_titles
from titles.extending import extended_copy
from titles.reading import Reading
from titles.record import Record
from titles.source_format import resolve_unlabelled

LABELS = Labels.of(CLASSES)
known = st.sampled_from([LABELS, None])


@contextmanager
def written(*files: tuple[str, bytes]) -> Iterator[list[Path]]:
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name, _ in files]
        for path, (_, content) in zip(paths, files, strict=True):
            path.write_bytes(content)
        yield paths


def sources(paths: list[Path]) -> dict[str, Source]:
    return {f"{split}-{path.name}": Source(path) for split, path in zip("ab", paths, strict=False)}


# --- reading


@settings(max_examples=150)
@given(files, known)
@example(("a.csv", b'"title'), None)
@example(("a.json", b"[" * 100_000), None)
@example(("a.txt", b"\xff\xfe"), None)
@example(("a.parquet", b"PAR1"), LABELS)
def test_a_file_is_checked_and_read_or_refused(file: tuple[str, bytes], labels: Labels | None):
    with written(file) as (path,):
        try:
            report = check({"train": Source(path)}, labels)
        except BiaotiError:
            report = None
        try:
            found = read(Source(path), labels)
        except DataError:
            assert report is None or report.errors
        else:
            assert report is not None
            assert not report.errors
            assert report.splits["train"].rows == len(found) == found.fingerprint.rows
        try:
            titles = list(read_titles(Source(path)))
        except BiaotiError:
            assert report is None or report.errors
        else:
            assert all(title.strip() for title in titles)


@settings(max_examples=25)
@given(any_bytes)
def test_a_list_of_classes_is_read_or_refused(content: bytes):
    data = ("a.txt", "国足\t0\n".encode())
    with written(("class.txt", content), data) as (_, path), suppress(DataError):
        assert len(read(Source(path)).labels) >= 1


# --- extending


@settings(max_examples=150)
@given(files)
@example(("a.tsv", b"id\ttitle\n1\t\n"))
@example(("a.txt", b'"'))
def test_a_copy_with_columns_has_every_row_once_and_in_its_place(file: tuple[str, bytes]):
    def number(records):
        said.extend(records)
        return [(len(said) - len(records) + i, None) for i in range(len(records))]

    said: list[Record] = []
    with written(file) as (path,):
        copy = path.with_stem("b")
        try:
            source = resolve_unlabelled(Source(path))
            extended_copy(source, copy, {"its_number": float, "nothing": str}, number)
        except DataError:
            return
        assert [r.line for r in said] == sorted({r.line for r in said})
        if not said:
            return
        again = resolve_unlabelled(Source(copy, source.format.replace("txt", "csv")))
        found = list(Reading(again, labelled=False))
        assert len(found) == len(said)
        told = [(r, f) for r, f in zip(said, found, strict=True) if r.fault is f.fault is None]
        assert [f.title for _, f in told] == [r.title for r, _ in told]


# --- cleaning


def fixed(paths: list[Path], labels: Labels | None) -> dict[str, FixResult] | None:
    """What a fix gives that is insisted on; None where a file cannot be read at all."""
    try:
        return fix(sources(paths), labels, force=True)
    except BiaotiError:
        return None


@settings(max_examples=60)
@given(files, files)
def test_what_a_fix_leaves_out_is_told_and_what_it_leaves_is_clean(
    one: tuple[str, bytes], other: tuple[str, bytes]
):
    with written((f"1{one[0]}", one[1]), (f"2{other[0]}", other[1])) as paths:
        results = fixed(paths, LABELS)
        if results is None:
            return
        for result in results.values():
            listed = result.dropped_list.open(encoding="utf-8-sig", newline="")
            reasons = Counter(row["reason"] for row in csv.DictReader(listed))
            assert dict(reasons) == result.dropped
            assert result.rows_read == result.rows_written + reasons.total()
        copies = [result.path for result in results.values()]
        assert [path.read_bytes() for path in paths] == [one[1], other[1]]
        report = check(sources(copies), LABELS)
        remaining = {"replacement-character", "private-use-character", "no-rows", "absent-class"}
        assert set(report.counts) <= remaining | {"class-of-one"}
        assert [each.rows for each in report.splits.values()] == [
            result.rows_written for result in results.values()
        ]


@settings(max_examples=30)
@given(files, known)
def test_what_is_clean_stays_byte_for_byte_so_that_fixing_twice_is_fixing_once(
    file: tuple[str, bytes], labels: Labels | None
):
    with written(file) as paths:
        results = fixed(paths, labels)
        if results is None:
            return
        (once,) = results.values()
        again = fixed([once.path], labels)
        if again is None:  # no row with a label is left
            assert labels is None
            return
        (twice,) = again.values()
        assert twice.path.read_bytes() == once.path.read_bytes()
        assert (twice.dropped, twice.repaired) == ({}, {})


@settings(max_examples=15)
@given(rows)
def test_a_table_of_columns_is_cleaned_too(pairs: list[tuple[str, str]]):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        write_parquet(path, pairs)
        (once,) = fix(sources([path]), LABELS, force=True).values()
        (twice,) = fix(sources([once.path]), LABELS, force=True).values()

        assert once.rows_read == len(pairs) == once.rows_written + sum(once.dropped.values())
        assert (twice.dropped, twice.repaired) == ({}, {})
        assert twice.path.read_bytes() == once.path.read_bytes()


@settings(max_examples=40)
@given(files)
def test_a_fix_that_nobody_insists_on_keeps_every_class(file: tuple[str, bytes]):
    with written(file) as (path,):
        before = path.read_bytes()
        try:
            report = check({"train": Source(path)}, LABELS)
            (result,) = fix({"train": Source(path)}, LABELS).values()
        except BiaotiError:
            assert [each.name for each in path.parent.iterdir()] == [path.name]
            return
        after = check({"train": Source(result.path)}, LABELS)
        assert _present(report.splits["train"].classes) == _present(after.splits["train"].classes)
        assert result.rows_written
        assert path.read_bytes() == before


def _present(classes: dict[str, int] | None) -> set[str]:
    return {name for name, count in (classes or {}).items() if count}
