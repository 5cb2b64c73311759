from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from titles import Source, read, read_splits
from titles.dates import date_text
from titles.labelled import LabelledTitles


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-06-01", "2026-06-01"),
        (" 2026-6-1 08:30", "2026-06-01"),
        ("2026-06-01T08:30:00Z", "2026-06-01"),
        ("2026/06/30", "2026-06-30"),
        ("2026.6.30", "2026-06-30"),
        ("2026年6月1日", "2026-06-01"),
        ("2026年6月", "2026-06"),
        ("2026-06", "2026-06"),
        ("20260601", "2026-06-01"),
        ("20260601083000", "2026-06-01"),
        (20260601, "2026-06-01"),
        (1780272000, "2026-06-01"),
        ("1780272000123", "2026-06-01"),
        (date(2026, 6, 1), "2026-06-01"),
        (datetime(2026, 6, 1, 8), "2026-06-01"),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (2026.5, None),
    ],
)
def test_dates_are_understood_however_they_are_written(value: object, expected: str | None):
    assert date_text(value) == expected


FILES = {
    "a.csv": "title,label,date\n球队夺冠,sports,2026-06-01\n股市大涨,stocks,\n",
    "a.jsonl": '{"title": "球队夺冠", "label": "sports", "date": "2026-06-01"}\n'
    '{"title": "股市大涨", "label": "stocks"}\n',
    "a.txt": "球队夺冠\tsports\n股市大涨\tstocks\n",
}


@pytest.mark.parametrize(
    ("name", "dates"),
    [
        ("a.csv", ["2026-06-01", None]),
        ("a.jsonl", ["2026-06-01", None]),
        ("a.txt", [None, None]),
    ],
)
def test_a_column_of_dates_is_read_and_stays_with_its_titles(
    tmp_path: Path, name: str, dates: list[str | None]
):
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    source = Source(tmp_path / name)

    alone = read(source)
    splits, _ = read_splits({"test": source})

    assert alone.dates == splits["test"].dates == dates
    assert alone.take([1, 0]).dates == dates[::-1]
    assert alone.content_sha256 == LabelledTitles.of(*_content(alone)).content_sha256


def test_dates_of_several_newsrooms_are_joined_where_some_have_none(tmp_path: Path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    dated = read(Source(tmp_path / "a.csv"))
    undated = LabelledTitles.of(*_content(dated))

    assert undated.dates is None
    assert LabelledTitles.joined([undated, dated], "both").dates == [None, None, "2026-06-01", None]


def test_dates_of_parquet_are_read(tmp_path: Path):
    table = pa.table(
        {"title": ["球队夺冠", "股市"], "label": ["a", "b"], "date": [date(2026, 6, 1), None]}
    )
    pq.write_table(table, tmp_path / "a.parquet")

    assert read(Source(tmp_path / "a.parquet")).dates == ["2026-06-01", None]


def _content(titles: LabelledTitles) -> tuple:
    return titles.titles, titles.label_ids, titles.labels
