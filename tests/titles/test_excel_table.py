"""The excel format: the first sheet's rows, as Excel shows them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
from openpyxl.styles import Font

from models.errors import DataError, UsageError
from models.labels import Labels
from titles import Source, check, fix, read, read_titles
from titles.extending import extended_copy
from titles.reading import Reading

LABELS = Labels.of(["体育", "财经"])


def written(path: Path, *rows: tuple[object, ...]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def cells(path: Path, sheet: int = 0) -> list[tuple[object, ...]]:
    return list(openpyxl.load_workbook(path).worksheets[sheet].iter_rows(values_only=True))


def test_rows_are_read_below_the_names_of_the_columns(tmp_path: Path):
    path = written(
        tmp_path / "a.XLSX",
        ("id", " 标题 ", "类别", "发布日期"),
        (1, "国足小胜", "体育", datetime(2026, 5, 1, 8)),
        (2, "指数收涨", 1, "2026年5月"),
    )

    found = read(Source(path), LABELS)

    assert list(found.titles) == ["国足小胜", "指数收涨"]
    assert found.label_ids.tolist() == [0, 1]
    dates = [record.date for record in Reading(Source(path), labelled=False)]
    assert dates == ["2026-05-01", "2026-05"]


def test_numbers_and_days_are_titles_as_they_are_written(tmp_path: Path):
    path = written(tmp_path / "a.xlsx", ("title",), (1984,), (2012.0,), (3.5,), (True,))

    assert [record.title for record in Reading(Source(path), labelled=False)] == [
        "1984", "2012", "3.5", None,
    ]  # fmt: skip


def test_blank_rows_are_faults_amid_rows_and_none_at_the_end(tmp_path: Path):
    path = written(tmp_path / "a.xlsx", ("title", "label"), ("甲", 0), (None, None), ("乙", 1))
    book = openpyxl.load_workbook(path)
    book.active.cell(900, 40).font = Font(bold=True)  # which a sheet counts as its size
    book.save(path)

    report = check({"train": Source(path)}, LABELS)

    assert [(error.line, error.code) for error in report.errors] == [(3, "missing-title")]
    assert report.splits["train"].rows == 3


def test_a_fix_keeps_all_columns_of_what_it_keeps(tmp_path: Path):
    path = written(
        tmp_path / "a.xlsx", ("title", "label", "n"), (" 甲 ", 0, 7), (None, 1, 8), ("乙", 1, 9)
    )

    (found,) = fix({"train": Source(path)}, LABELS, force=True).values()

    assert cells(found.path) == [("title", "label", "n"), ("甲", 0, 7), ("乙", 1, 9)]
    again = fix({"train": Source(found.path)}, LABELS, force=True)
    assert again["train"].path.read_bytes() == found.path.read_bytes()


def test_a_copy_gets_columns_and_keeps_sheets_formulas_and_looks(tmp_path: Path):
    path = written(tmp_path / "a.xlsx", ("title", "n"), ("甲", 1), (None, 2), ("乙", "=B2+1"))
    book = openpyxl.load_workbook(path)
    book.active["A2"].font = Font(bold=True)
    book.create_sheet("other").append(("kept",))
    book.save(path)

    def say(records):
        return [("=1", 0.5, True) if record.title else (None, None, None) for record in records]

    columns = {"class": str, "confidence": float, "unknown": bool}
    extended_copy(Source(path, "excel"), tmp_path / "b", columns, say)

    copy = tmp_path / "b"
    copy = copy.rename(tmp_path / "b.xlsx")
    assert cells(copy) == [
        ("title", "n", "class", "confidence", "unknown"),
        ("甲", 1, "=1", 0.5, True),
        (None, 2, None, None, None),
        ("乙", "=B2+1", "=1", 0.5, True),
    ]
    book = openpyxl.load_workbook(copy)
    assert book.active["C2"].data_type == "s"  # text, and no formula
    assert book.active["B4"].data_type == "f"
    assert book.active["A2"].font.bold
    assert cells(copy, 1) == [("kept",)]


def test_columns_stand_behind_cells_that_no_name_covers(tmp_path: Path):
    path = written(tmp_path / "a.xlsx", ("title",), ("甲", None, "a note"))

    extended_copy(Source(path, "excel"), tmp_path / "b.xlsx", {"class": str}, lambda _: [["x"]])

    assert cells(tmp_path / "b.xlsx") == [
        ("title", None, None, "class"),
        ("甲", None, "a note", "x"),
    ]


@pytest.mark.parametrize("content", [b"", b"title\n", b"PK\x03\x04 and no more"])
def test_what_is_no_workbook_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "a.xlsx").write_bytes(content)

    with pytest.raises(DataError, match=r"a\.xlsx: cannot be read as an Excel workbook"):
        next(read_titles(Source(tmp_path / "a.xlsx")))


def test_a_workbook_without_a_column_of_titles_is_refused(tmp_path: Path):
    for rows in ((), (("n", None), (1, 2))):
        path = written(tmp_path / "a.xlsx", *rows)
        with pytest.raises(DataError, match="no column title"):
            next(read_titles(Source(path)))


def test_an_old_workbook_is_to_be_saved_anew(tmp_path: Path):
    (tmp_path / "a.xls").write_bytes(b"\xd0\xcf\x11\xe0")

    with pytest.raises(UsageError, match=r"an old format of Excel's; save it as \.xlsx or \.csv"):
        next(read_titles(Source(tmp_path / "a.xls")))
