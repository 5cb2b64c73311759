"""Where the names of the classes come from, in order of trust."""

from pathlib import Path

import pytest

from models.errors import DataError, UsageError
from titles import Source, find_labels, label_names


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / "train.txt").write_text("甲\tsports\n乙\tfinance\n丙\tsports\n", encoding="utf-8")
    return Source(tmp_path / "train.txt")


def test_given_file_comes_first(tmp_path: Path, source: Source):
    (tmp_path / "class.txt").write_text("a\nb\n")
    (tmp_path / "names.txt").write_text("x\ny\n")

    assert find_labels(source, tmp_path / "names.txt").names == ("x", "y")


def test_class_file_beside_the_data_comes_second(tmp_path: Path, source: Source):
    (tmp_path / "class.txt").write_text("sports\nfinance\n")

    assert find_labels(source).names == ("sports", "finance")
    assert find_labels(Source(tmp_path)).names == ("sports", "finance")


def test_else_the_distinct_labels_are_sorted(source: Source):
    labels = find_labels(source)

    assert labels.names == ("finance", "sports")
    assert labels.display_names == ("财经", "体育")


def test_bare_numbers_need_names(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t10\n乙\t9\n", encoding="utf-8")

    with pytest.raises(DataError) as caught:
        find_labels(Source(tmp_path / "a.txt"))

    assert str(caught.value) == (
        f"{tmp_path}/a.txt: labels are bare numbers (9, 10, ...); write their names, one a line, "
        "to class.txt beside the file, or pass --labels"
    )


def test_file_without_labels_is_refused(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\n乙\n", encoding="utf-8")

    with pytest.raises(DataError, match="no row has a label; pass a file with labels"):
        find_labels(Source(tmp_path / "a.txt"))


def test_column_of_all_different_values_is_not_a_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(label_names, "MOST_LABELS", 3)
    (tmp_path / "a.txt").write_text("".join(f"甲\tx{i}\n" for i in range(9)), encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.txt:4: more than 3 distinct labels"):
        find_labels(Source(tmp_path / "a.txt"))


def test_standard_input_needs_the_names():
    with pytest.raises(UsageError, match="pass the class names with --labels"):
        find_labels(Source("-"))
