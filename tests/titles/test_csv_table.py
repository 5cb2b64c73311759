"""The csv format: quoted line breaks, physical lines, columns by name."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import DataError
from models.labels import Labels
from titles import TITLE_COLUMNS, Source, check, read, read_titles
from titles.reading import Reading
from titles.record import Record

LABELS = Labels.of(["财经", "体育"])
titles = st.text(st.characters(exclude_categories=["Cs"])).map(lambda text: f"题{text}目")


def source_of(path: Path, content: str, **columns: str) -> Source:
    path.write_bytes(content.encode(errors="surrogateescape"))
    return Source(path, **columns)


@given(st.lists(st.tuples(titles, st.integers(0, 1))))
def test_any_titles_written_are_read_back(pairs: list[tuple[str, int]]):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("title", "label"), *pairs])
    with TemporaryDirectory() as folder:
        reading = Reading(source_of(Path(folder) / "a.csv", file.getvalue()), labelled=True)

        assert [(r.title, int(r.label or "")) for r in reading] == pairs


def test_line_is_the_physical_one_at_which_a_record_starts(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", 'title,label\n"两行\n标题",0\n"逗号,标题",体育\n')

    assert list(Reading(source, labelled=True)) == [
        Record(2, "两行\n标题", "0"),
        Record(4, "逗号,标题", "体育"),
    ]


def test_columns_are_found_by_the_names_given(tmp_path: Path):
    content = "\ufeffid;题;类;title\r\n7;甲;体育;乙\r\n"
    source = source_of(tmp_path / "a.csv", content, title_column="题", label_column="类")

    assert list(Reading(source, labelled=True)) == [Record(2, "甲", "体育")]


def test_names_of_labels_are_preferred_to_numbers(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", "label,label_desc,sentence\n103,体育,甲\n")

    assert list(Reading(source, labelled=True)) == [Record(2, "甲", "体育")]


def test_label_column_may_lack_where_labels_are_not_asked_for(tmp_path: Path):
    source = source_of(tmp_path / "a.tsv", "text\tsource\n甲\t乙\n")

    assert list(read_titles(Source(source.path, format="csv"))) == ["甲"]


def test_missing_column_is_named_with_those_that_are_there(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", "题,label\n甲,0\n")

    with pytest.raises(DataError) as caught:
        read(source, LABELS)

    assert str(caught.value) == (
        f"{tmp_path}/a.csv: no column {' or '.join(TITLE_COLUMNS)} among 题, label; "
        "name it with --title-column"
    )


def test_faults_are_found_and_reading_goes_on(tmp_path: Path):
    content = 'title,label\n甲\n\n,0\n乙\udcff,0\n"丙"丁,0\n戊,0\n"己,0\n'
    report = check({"train": source_of(tmp_path / "a.csv", content)}, LABELS)

    assert [(error.line, error.code, error.detail) for error in report.errors] == [
        (2, "column-count", "columns: 1, expected 2 as in the header"),
        (3, "missing-title", "the line is blank"),
        (4, "empty-title", "the title is empty"),
        (5, "broken-encoding", "byte 4 (0xff) is not UTF-8"),
        (6, "malformed-record", "CSV: ',' expected after '\"'"),
        (8, "malformed-record", "CSV: unexpected end of data"),
    ]
    assert report.splits["train"].usable == 1


@pytest.mark.parametrize(
    "header", ["Title,Label", "TITLE , LABEL", "标题,类别", "新闻标题,分类", "题目,标签"]
)
def test_the_usual_columns_are_known_in_any_case_and_in_chinese(tmp_path: Path, header: str):
    source = source_of(tmp_path / "a.csv", f"{header}\n甲,体育\n")

    assert list(Reading(source, labelled=True)) == [Record(2, "甲", "体育")]


@pytest.mark.parametrize("first", ["sep=;\n", "\ufeffsep=;\r\n", '"sep=;"\n'])
def test_a_line_that_tells_excel_the_delimiter_is_no_header(tmp_path: Path, first: str):
    source = source_of(tmp_path / "a.csv", f"{first}title;label\n甲,乙,丙;体育\n")

    assert list(Reading(source, labelled=True)) == [Record(3, "甲,乙,丙", "体育")]


def test_empty_cells_behind_the_last_column_are_none(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", "title,label,,\n甲,体育,,\n乙,财经\n丙,体育,,,\n")

    assert list(Reading(source, labelled=True)) == [
        Record(2, "甲", "体育"),
        Record(3, "乙", "财经"),
        Record(4, "丙", "体育"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "标题,类别\r国足,体育\r".encode(),
        "标题,类别\r\n国足,体育\r\n".encode("gbk"),
        "标题\t类别\r\n国足\t体育\r\n".encode("utf-16"),
    ],
)
def test_what_excel_saves_is_read(tmp_path: Path, content: bytes):
    (tmp_path / "a.csv").write_bytes(content)

    assert list(Reading(Source(tmp_path / "a.csv"), labelled=True)) == [Record(2, "国足", "体育")]


def test_a_header_that_cannot_be_read_is_printable(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", "\udcffx,label\n甲,体育\n")

    with pytest.raises(DataError, match=r"among \\udcffx, label; name it with --title-column"):
        read(source)


def test_a_comma_in_a_title_is_named_as_the_cause(tmp_path: Path):
    source = source_of(tmp_path / "a.csv", "title,label\n甲,乙,体育\n")

    with pytest.raises(DataError, match=r"a\.csv:2: columns: 3, expected 2 .*needs quotes"):
        read(source, LABELS)
