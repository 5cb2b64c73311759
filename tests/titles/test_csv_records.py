"""A quote that somebody forgot costs its own line, and is named with what it took in."""

import pytest

from titles.csv_records import CsvRecord, RowShape, csv_records
from titles.record import Fault

SHAPE = RowShape(2, 1)


def records(text: str, shape: RowShape | None = SHAPE) -> list[CsvRecord]:
    return list(csv_records(iter(text.splitlines(keepends=True)), ",", 2, shape))


def told(detail: str) -> Fault:
    return Fault("malformed-record", f"CSV: {detail}")


def test_a_quote_that_takes_in_rows_is_the_fault_of_its_line():
    assert records('"A股收涨,stocks\n国足小胜,sports\n新机发布",science\n') == [
        CsvRecord(
            2,
            2,
            '"A股收涨,stocks\n',
            [],
            told("the quote that opens here takes in 3 lines that look like rows"),
        ),
        CsvRecord(3, 3, "国足小胜,sports\n", ["国足小胜", "sports"]),
        CsvRecord(4, 4, '新机发布",science\n', ['新机发布"', "science"]),
    ]


def test_a_quote_that_is_never_closed_is_too():
    found = records('甲,x\n"乙,x\n' + "丙,x\n" * 500)

    assert len(found) == 502
    assert found[1].fault == told(
        "the quote that opens here takes in 501 lines that look like rows"
    )
    assert all(each.cells == ["丙", "x"] for each in found[2:])


def test_two_rows_are_told_by_a_label_that_was_seen_before():
    row = '"甲,x\n乙",y\n'

    assert [each.cells for each in records("丙,x\n" + row)] == [["丙", "x"], [], ['乙"', "y"]]
    assert [each.cells for each in records("丙,z\n" + row)] == [["丙", "z"], ["甲,x\n乙", "y"]]


@pytest.mark.parametrize("shape", [RowShape(2, None), RowShape(1, 0), None])
def test_without_two_columns_and_a_label_no_line_looks_like_a_row(shape: RowShape | None):
    (record,) = records('"A股收涨,stocks\n国足小胜,sports\n新机发布",science\n', shape)

    assert record.cells == ["A股收涨,stocks\n国足小胜,sports\n新机发布", "science"]


@pytest.mark.parametrize("title", ["两行\n标题", "三\n行\n标题", "逗号,逗号\n标题", "\n\n\n"])
def test_a_title_may_hold_line_breaks(title: str):
    (record,) = records(f'"{title}",x\n')

    assert (record.cells, record.fault) == ([title, "x"], None)
    assert (record.line, record.end) == (2, 2 + title.count("\n"))


def test_a_record_that_breaks_off_after_many_lines_says_how_many():
    (record,) = records('"一\n二\n三')

    assert record.fault == told("unexpected end of data; the quote takes in 3 lines")


def test_without_a_shape_quotes_are_what_csv_says():
    (record,) = records('"甲,x\n乙,x\n丙",x\n', None)

    assert record.cells == ["甲,x\n乙,x\n丙", "x"]
