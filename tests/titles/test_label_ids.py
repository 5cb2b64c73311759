"""Where the names of the classes come from, in order of trust."""

import io
import sys
from pathlib import Path

import pytest

from models.errors import DataError
from models.labels import Labels
from titles import Source, label_ids, read, read_splits


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / "train.txt").write_text("甲\tsports\n乙\tfinance\n丙\tsports\n", encoding="utf-8")
    return Source(tmp_path / "train.txt")


def names(source: Source, labels: Path | None = None) -> tuple[str, ...]:
    return read(source, labels).labels.names


def test_given_file_comes_first(tmp_path: Path, source: Source):
    (tmp_path / "class.txt").write_text("a\nb\n")
    (tmp_path / "names.txt").write_text("sports\nfinance\ngame\n")

    assert names(source, tmp_path / "names.txt") == ("sports", "finance", "game")


def test_class_file_beside_the_data_comes_second(tmp_path: Path, source: Source):
    (tmp_path / "class.txt").write_text("sports\nfinance\n")

    assert names(source) == ("sports", "finance")
    assert names(Source(tmp_path)) == ("sports", "finance")


def test_else_the_distinct_labels_are_sorted(source: Source):
    labels = read(source).labels

    assert labels.names == ("finance", "sports")
    assert labels.display_names == ("财经", "体育")


def test_bare_numbers_need_names(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t10\n乙\t9\n", encoding="utf-8")

    with pytest.raises(DataError) as caught:
        read(Source(tmp_path / "a.txt"))

    assert str(caught.value) == (
        f"{tmp_path}/a.txt: labels are bare numbers (9, 10, ...); write their names, one a line, "
        "to class.txt beside the file, or pass --labels"
    )


def test_file_without_labels_is_refused(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"title": "甲"}\n', encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.jsonl: no row has a label; pass a file with labels"):
        read_splits({"train": Source(tmp_path / "a.jsonl")})


def test_column_of_all_different_values_is_not_a_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(label_ids, "MOST_LABELS", 3)
    (tmp_path / "a.txt").write_text("".join(f"甲\tx{i}\n" for i in range(9)), encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.txt:4: more than 3 distinct labels"):
        read(Source(tmp_path / "a.txt"))


def test_rows_without_a_title_bring_their_class_too(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\tsports\n\tgame\n乙\tfinance\n", encoding="utf-8")

    splits, _ = read_splits({"train": Source(tmp_path / "a.txt")})

    assert splits["train"].labels.names == ("finance", "game", "sports")
    assert splits["train"].label_ids.tolist() == [2, 0]


def test_standard_input_brings_its_classes(monkeypatch: pytest.MonkeyPatch):
    stdin = io.TextIOWrapper(io.BytesIO("甲\tsports\n乙\tfinance\n".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)

    found = read(Source("-"))

    assert found.labels.names == ("finance", "sports")
    assert found.label_ids.tolist() == [1, 0]


def test_label_is_an_id_or_a_name(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t1\n乙\t体育\n丙\t 0 \n", encoding="utf-8")

    assert read(Source(tmp_path / "a.txt"), Labels.of(["财经", "体育"])).label_ids.tolist() == [
        1,
        1,
        0,
    ]


def test_name_made_of_digits_is_a_name_before_it_is_an_id(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t1\n乙\t0\n丙\t2\n", encoding="utf-8")

    found = read(Source(tmp_path / "a.txt"), Labels.of(["1", "other", "years"]))

    assert found.label_ids.tolist() == [0, 0, 2]


def test_label_that_cannot_be_printed_is_escaped(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"title": "甲", "label": "\\ud800"}', encoding="utf-8")

    with pytest.raises(DataError, match=r"label '\\ud800' is not one of the 1 labels"):
        read(Source(tmp_path / "a.jsonl"), Labels.of(["x"]))
