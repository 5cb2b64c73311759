"""The parquet format: rows by number, bytes that are not UTF-8, classes that the schema names."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.errors import DataError
from models.labels import Labels
from titles import Source, check, read_titles
from titles.parquet_table import named

LABELS = Labels.of(["体育", "财经"])


def test_parquet_rows_have_their_number_for_a_line(tmp_path: Path):
    table = pa.table({"title": ["甲", None, "乙"], "category": ["体育", "体育", "财经"]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=2)

    report = check({"train": Source(tmp_path / "a.parquet")}, LABELS)

    assert [(error.line, error.code) for error in report.errors] == [(2, "missing-title")]
    assert report.splits["train"].classes == {"体育": 1, "财经": 1}


def test_parquet_bytes_that_are_not_utf8_are_named(tmp_path: Path):
    titles = pa.array([b"\xe7\x94\xb2", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"title": titles}), tmp_path / "a.parquet")

    report = check({"train": Source(tmp_path / "a.parquet")}, labelled=False)

    assert [(error.line, error.code) for error in report.errors] == [(2, "broken-encoding")]


def test_text_that_is_no_parquet_is_refused(tmp_path: Path):
    (tmp_path / "a.parquet").write_text("甲\t0\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.parquet: cannot be read as Parquet"):
        next(read_titles(Source(tmp_path / "a.parquet")))


@pytest.mark.parametrize(
    ("value", "expected"), [(1, "体育"), (0, "财经"), (-1, None), (2, 2), ("财经", "财经")]
)
def test_an_id_has_its_name_where_the_feature_has_one(value: object, expected: object):
    assert named(value, ["财经", "体育"]) == expected


def test_a_column_of_numbers_alone_stays_as_it_is():
    assert named(3, None) == 3
