"""The txt format: what ends a line, what ends a column, what stands at the start."""

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import DataError
from models.labels import Labels
from titles import Source, read, read_titles
from titles.reading import Reading
from titles.record import Record

LABELS = Labels.of(["财经", "体育"])
# Any title that a line can hold and that is not blank.
titles = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"])).map(
    lambda text: f"题{text}目"
)


def records_of(path: Path, content: bytes, labelled: bool = True) -> list[Record]:
    path.write_bytes(content)
    return list(Reading(Source(path), labelled))


@given(st.lists(st.tuples(titles, st.integers(0, 1))))
def test_any_titles_written_are_read_back(pairs: list[tuple[str, int]]):
    content = "".join(f"{title}\t{label}\n" for title, label in pairs).encode()
    with TemporaryDirectory() as folder:
        records = records_of(Path(folder) / "a.txt", content)

    assert records == [Record(i, title, str(label)) for i, (title, label) in enumerate(pairs, 1)]


def test_byte_order_mark_and_carriage_returns_are_no_part_of_a_row(tmp_path: Path):
    content = "\ufeff股市大涨\t0\r\n球队夺冠\t1\r\n".encode()

    assert records_of(tmp_path / "a.txt", content) == [
        Record(1, "股市大涨", "0"),
        Record(2, "球队夺冠", "1"),
    ]


def test_unicode_line_separators_do_not_split_a_title(tmp_path: Path):
    title = "甲\x85乙\u2028丙\x0b丁\x1c戊"

    assert records_of(tmp_path / "a.txt", f"{title}\t0\n下一行\t1".encode()) == [
        Record(1, title, "0"),
        Record(2, "下一行", "1"),
    ]


def test_bare_titles_and_labelled_ones_are_read_alone_without_labels(tmp_path: Path):
    content = "股市大涨\n球队夺冠\t不知道\n".encode()

    assert records_of(tmp_path / "a.txt", content, labelled=False) == [
        Record(1, "股市大涨", None),
        Record(2, "球队夺冠", "不知道"),
    ]


def test_standard_input_is_read_as_lines(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("股市大涨\n".encode())))

    assert list(read_titles(Source("-"))) == ["股市大涨"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "the line is blank; give the row a title or delete it"),
        (b"\t0\n", "the title is empty; give the row a title or delete it"),
        (
            "\u3000\u200b\t0\n".encode(),
            "the title holds only spaces or control characters; give the row a title or delete it",
        ),
        (
            "甲\n".encode(),
            "columns: 1, expected title<TAB>label; "
            "fix the row, or name the format of the file with --format",
        ),
        (
            "甲\t乙\t0\n".encode(),
            "columns: 3, expected title<TAB>label; "
            "fix the row, or name the format of the file with --format",
        ),
        ("甲\t\n".encode(), "the label is missing; fix the row or pass --labels"),
        (
            "甲\t14\n".encode(),
            "label '14' is not one of the 2 labels; fix the row or pass --labels",
        ),
        (
            "甲".encode("gb18030") + b"\t0\n",
            "byte 1 (0xbc) is not UTF-8; restore the row from its source; if many rows are so, "
            "save the file as UTF-8",
        ),
    ],
)
def test_unusable_row_is_named_with_its_line(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "a.txt").write_bytes("好标题\t1\n".encode() + content)

    with pytest.raises(DataError) as caught:
        read(Source(tmp_path / "a.txt"), LABELS)

    assert str(caught.value) == f"{tmp_path}/a.txt:2: {message}"
    assert caught.value.line == 2


def test_a_first_line_that_names_columns_is_no_title(tmp_path: Path):
    for content in ("Title\tLabel\n甲\t0\n", "\ufeff标题\t类别\n甲\t0\n"):
        path = tmp_path / "a.tsv"
        path.write_text(content, encoding="utf-8")

        assert read(Source(path), LABELS).titles == ["甲"]
        with pytest.raises(DataError, match=r"a\.tsv:1: the line names columns .* is a table"):
            read(Source(path, format="txt"), LABELS)


@pytest.mark.parametrize(
    ("line", "by", "label"),
    [
        ("国足 小胜 体育", "a space", "体育"),
        ("国足小胜\u30007", "a space", "7"),
        ("国足小胜,sports", "a comma", "sports"),
        ("国足小胜；体育", "a semicolon", "体育"),
        ("国足小胜 | 体育", "a bar", "体育"),
    ],
)
def test_what_stands_in_the_place_of_the_tab_is_named(
    tmp_path: Path, line: str, by: str, label: str
):
    (record,) = records_of(tmp_path / "a.txt", line.encode())

    assert record.fault is not None
    assert record.fault.detail == (
        f"columns: 1, expected title<TAB>label ({by} stands before {label!r})"
    )
