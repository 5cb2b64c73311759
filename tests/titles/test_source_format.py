"""Which format a path has, and what is said when it cannot be told."""

from pathlib import Path

import pytest

from models.errors import DataError, UsageError
from titles import Source, read_titles
from titles.source_format import resolve


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", "txt"),
        ("a.tsv", "txt"),
        ("a.CSV", "csv"),
        ("a.json", "jsonl"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.parquet", "parquet"),
    ],
)
def test_suffix_tells_the_format(tmp_path: Path, name: str, expected: str):
    (tmp_path / name).touch()

    assert resolve(Source(tmp_path / name)).format == expected


def test_standard_input_is_txt_unless_told_otherwise():
    assert resolve(Source("-")).format == "txt"
    assert resolve(Source("-", format="csv")).format == "csv"


def test_name_with_one_slash_and_no_file_is_a_hub_dataset():
    assert resolve(Source("clue/tnews")).format == "dataset"


def test_folder_of_data_files_is_narrowed_to_the_file_of_the_split(tmp_path: Path):
    for name in ("train.txt", "dev.txt", "class.txt"):
        (tmp_path / name).touch()

    found = resolve(Source(tmp_path, split="dev"))

    assert (found.path, found.format) == (tmp_path / "dev.txt", "txt")


def test_folder_of_several_text_files_asks_which(tmp_path: Path):
    for name in ("train.txt", "dev.txt", "class.txt"):
        (tmp_path / name).touch()

    with pytest.raises(UsageError, match="which file is meant; pass one of --split dev, train"):
        resolve(Source(tmp_path))


def test_unknown_format_is_refused_when_built():
    with pytest.raises(UsageError, match="format 'xml' is not one of txt, csv, jsonl, parquet"):
        Source("a.xml", format="xml")


def test_unknown_suffix_asks_for_the_format(tmp_path: Path):
    (tmp_path / "titles").touch()

    with pytest.raises(UsageError, match="cannot tell the format from the name; pass --format txt"):
        resolve(Source(tmp_path / "titles"))


def test_column_names_are_refused_where_there_are_none(tmp_path: Path):
    (tmp_path / "a.txt").touch()

    with pytest.raises(UsageError, match="the txt format has no column names; pass --format csv"):
        resolve(Source(tmp_path / "a.txt", title_column="title"))


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(DataError) as caught:
        next(read_titles(Source(tmp_path / "no.txt")))

    assert str(caught.value) == f"{tmp_path}/no.txt: there is no such file; check the path"
