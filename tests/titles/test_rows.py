"""Rows: which texts stand for a label, and what loading an unusable file says."""

import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import DataError
from models.labels import Labels
from titles import Row, Source, load, read


def test_label_is_an_id_or_a_name(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t1\n乙\t体育\n丙\t 0 \n", encoding="utf-8")

    assert load(Source(tmp_path / "a.txt"), Labels.of(["财经", "体育"])) == (
        ["甲", "乙", "丙"],
        [1, 1, 0],
    )


def test_name_made_of_digits_is_a_name_before_it_is_an_id(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t1\n乙\t0\n丙\t2\n", encoding="utf-8")

    assert load(Source(tmp_path / "a.txt"), Labels.of(["1", "other", "years"]))[1] == [0, 0, 2]


def test_rows_before_the_bad_one_are_given(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t0\n\n", encoding="utf-8")
    rows = read(Source(tmp_path / "a.txt"), Labels.of(["x"]))

    assert next(rows) == Row("甲", 0, 1)
    with pytest.raises(DataError, match=r"a\.txt:2: the line is blank"):
        next(rows)


def test_label_that_cannot_be_printed_is_escaped(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"title": "甲", "label": "\\ud800"}', encoding="utf-8")

    with pytest.raises(DataError, match=r"label '\\ud800' is not one of the 1 labels"):
        list(read(Source(tmp_path / "a.jsonl"), Labels.of(["x"])))


def test_file_without_rows_cannot_be_loaded(tmp_path: Path):
    (tmp_path / "a.txt").touch()

    with pytest.raises(DataError, match=r"a\.txt: no rows; check that the path names"):
        load(Source(tmp_path / "a.txt"), Labels.of(["x"]))


def test_heavy_libraries_are_not_imported():
    heavy = "{'torch', 'transformers', 'datasets', 'pyarrow', 'sklearn'}"
    code = f"import sys, titles; print(sorted({heavy} & set(sys.modules)))"
    root = Path(__file__).parent.parent.parent

    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)

    assert result.stdout == "[]\n"
