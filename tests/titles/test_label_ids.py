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


# --- ids by another order


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    """A file whose ids are places in a list of its own, beside it."""
    folder = tmp_path / "held_out"
    folder.mkdir()
    (folder / "class.txt").write_text("sports\nfinance\n")
    (folder / "dev.txt").write_text("甲\t0\n乙\t1\n丙\tsports\n", encoding="utf-8")
    return folder / "dev.txt"


WANTED = Labels.of(["game", "finance", "sports"])


def test_names_decide_where_a_file_has_a_list_of_its_own(held_out: Path):
    found = read(Source(held_out), wanted=WANTED)

    assert found.labels is WANTED
    assert found.label_ids.tolist() == [2, 1, 2]


def test_a_list_that_is_given_says_what_the_ids_of_a_file_are(tmp_path: Path, held_out: Path):
    (tmp_path / "given.txt").write_text("finance\nsports\n")

    found = read(Source(held_out), tmp_path / "given.txt", WANTED)

    assert found.label_ids.tolist() == [1, 2, 2]


def test_without_a_list_of_its_own_ids_are_places_among_the_wanted(held_out: Path):
    (held_out.parent / "class.txt").unlink()

    assert read(Source(held_out), wanted=WANTED).label_ids.tolist() == [0, 1, 2]


def test_a_class_that_is_not_wanted_is_named(held_out: Path):
    with pytest.raises(DataError, match=r"dev\.txt:1: label 0 is 'sports', not one of the 1 label"):
        read(Source(held_out), wanted=Labels.of(["finance"]))


def test_each_split_is_read_by_its_own_list(tmp_path: Path, held_out: Path):
    (tmp_path / "class.txt").write_text("finance\nsports\n")
    (tmp_path / "train.txt").write_text("丁\t0\n戊\t1\n", encoding="utf-8")

    splits, _ = read_splits({"train": Source(tmp_path / "train.txt"), "dev": Source(held_out)})

    assert splits["dev"].labels.names == ("finance", "sports")
    assert splits["dev"].label_ids.tolist() == [1, 0, 1]


def test_numbers_are_no_places_in_a_list_that_was_sorted_out_of_rows(
    tmp_path: Path, source: Source
):
    (tmp_path / "dev.txt").write_text("丁\t0\n戊\tsports\n", encoding="utf-8")

    splits, report = read_splits({"train": source, "dev": Source(tmp_path / "dev.txt")})

    assert splits["dev"].label_ids.tolist() == [1]
    assert [error.detail for error in report.errors] == [
        "label '0' is not one of the 2 labels: they were found in rows, and no list says which of "
        "them a number is"
    ]


def test_the_split_that_is_learned_brings_the_classes_whatever_the_order(
    tmp_path: Path, source: Source
):
    (tmp_path / "dev.txt").write_text("丁\tsports\n", encoding="utf-8")

    _, report = read_splits({"dev": Source(tmp_path / "dev.txt"), "train": source})

    assert not report.errors
    assert list(report.splits) == ["dev", "train"]


# --- what is no class


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("Sports", "label 'Sports' is not one of the 2 labels, but 'sports' is"),
        ("2", "label '2' is not one of the 2 labels, whose ids count from 0 to 1"),
        ("-1", "label '-1' is not one of the 2 labels"),
        ("nan", "the label is missing"),
    ],
)
def test_the_likely_cause_of_an_unknown_label_is_named(tmp_path: Path, label: str, told: str):
    (tmp_path / "a.txt").write_text(f"甲\t{label}\n", encoding="utf-8")

    with pytest.raises(DataError, match=rf"a\.txt:1: {told}; fix the row or pass --labels"):
        read(Source(tmp_path / "a.txt"), Labels.of(["finance", "sports"]))


def test_exchanged_columns_are_named(tmp_path: Path):
    (tmp_path / "a.txt").write_text("sports\t国足小胜\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"but the title is: the columns seem to be exchanged"):
        read(Source(tmp_path / "a.txt"), Labels.of(["finance", "sports"]))


def test_an_id_that_became_a_decimal_is_an_id(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t1.0\n乙\t0\n", encoding="utf-8")

    found = read(Source(tmp_path / "a.txt"), Labels.of(["finance", "sports"]))

    assert found.label_ids.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["-1", "0"], r"a\.txt: labels are bare numbers \(-1, 0, \.\.\.\); write their names"),
        (["1.0", "2.0"], r"a\.txt: labels are bare numbers \(1\.0, 2\.0, \.\.\.\); write"),
        (["2024-05-01", "2024/5/2 10:00"], r"a\.txt: labels are bare dates .* --label-column"),
        (["true", "False"], r"a\.txt: labels are bare truth values .* --label-column"),
        (["sports", "3"], r"a\.txt:2: label '3' \(number\) stands among names such as 'sports'"),
        (["a", "3", "7", "b"], r"a\.txt:2: label '3' "),  # the first of them in the file
        (["a", "7", "3", "b"], r"a\.txt:2: label '7' "),
        (["NaN", "null"], r"a\.txt: no row has a label"),
    ],
)
def test_what_names_nothing_is_no_class(tmp_path: Path, labels: list[str], told: str):
    rows = "".join(f"题{place}\t{label}\n" for place, label in enumerate(labels))
    (tmp_path / "a.txt").write_text(rows, encoding="utf-8")

    with pytest.raises(DataError, match=told):
        read_splits({"train": Source(tmp_path / "a.txt")})


def test_labels_that_are_as_many_as_the_titles_are_no_classes(tmp_path: Path):
    rows = "".join(f"{label}\t标题{i}\n" for i, label in enumerate(["sports", "finance"] * 5))
    (tmp_path / "a.txt").write_text(rows, encoding="utf-8")

    with pytest.raises(DataError) as caught:
        read(Source(tmp_path / "a.txt"))

    assert str(caught.value) == (
        f"{tmp_path}/a.txt: 10 distinct labels for 10 titles, of which 10 are the only one of "
        "their class; are title and label exchanged? Name the column with --label-column, or list "
        "the classes with --labels"
    )


def test_invisible_characters_are_no_part_of_a_label(tmp_path: Path):
    rows = "甲\tsports\n乙\tsports\u200b\n丙\t\ufefffinance\u00a0\n丁\t\u200b\n"
    (tmp_path / "a.txt").write_text(rows, encoding="utf-8")

    splits, report = read_splits({"train": Source(tmp_path / "a.txt")})

    assert splits["train"].labels.names == ("finance", "sports")
    assert splits["train"].label_ids.tolist() == [1, 1, 0]
    assert [error.detail for error in report.errors] == ["the label is missing"]
