"""Copies of files with further columns: what was there stays, byte for byte where it can."""

from __future__ import annotations

import csv
import io
import json

import pytest

from titles.byte_lines import ByteLines
from titles.extending import extend
from titles.source import Source
from titles.source_format import format_of_line

NAMES = ("class", "sure")


def extended(path, content: bytes, format: str, **columns) -> bytes:
    """The file's copy, with the number of the row and whether it is even beside each title."""
    path.write_bytes(content)
    source = Source(path, format, **columns)
    copy, number = b"", 0
    for row in extend(source, ByteLines(source), NAMES):
        if row.record is None:
            copy += row.extended(NAMES)
        else:
            copy += row.extended([number, number % 2 == 0] if row.record.title else [None, None])
            number += 1
    return copy


def test_a_table_keeps_its_bytes_and_gets_cells_behind_them(tmp_path):
    content = 'id,title,"date"\r\n7,"股市, 大涨",2026-05\r\n"08",球队,\r\n'.encode()
    assert (
        extended(tmp_path / "a", content, "csv")
        == (
            'id,title,"date",class,sure\r\n7,"股市, 大涨",2026-05,0,true\r\n"08",球队,,1,false\r\n'
        ).encode()
    )


def test_a_last_line_without_its_end_gets_one(tmp_path):
    assert extended(tmp_path / "a", "title\tn\n股\t1".encode(), "csv").splitlines() == [
        b"title\tn\tclass\tsure", "股\t1\t0\ttrue".encode(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("股", ["股", "", "", ""]),
        ("股,1,extra,more", ["股", "1", "", "", "extra", "more"]),
        ("", ["", "", "", ""]),
        ('a "quoted" b,"x"y', ['a "quoted" b,"x"y', "", "", ""]),
    ],
)
def test_a_row_of_another_shape_keeps_its_cells_and_its_place(tmp_path, row, cells):
    copy = extended(tmp_path / "a", f"title,n\n{row}\n球,2\n".encode(), "csv").decode()
    found = list(csv.reader(io.StringIO(copy)))
    assert found[1] == cells
    assert found[2] == ["球", "2", "1", "false"]


def test_a_quoted_line_break_is_one_row(tmp_path):
    copy = extended(tmp_path / "a", 'title,n\n"两\n行",1\n'.encode(), "csv").decode()
    assert list(csv.reader(io.StringIO(copy))) == [
        ["title", "n", "class", "sure"], ["两\n行", "1", "0", "true"],
    ]  # fmt: skip


def test_excels_line_stays_before_the_header(tmp_path):
    copy = extended(tmp_path / "a", "sep=;\ntitle;n\n股;1\n".encode(), "csv")
    assert copy.decode() == "sep=;\ntitle;n;class;sure\n股;1;0;true\n"


def test_bytes_that_are_not_utf_8_stay(tmp_path):
    copy = extended(tmp_path / "a", b"title,n\n\xff,1\n", "csv")
    assert copy == b"title,n,class,sure\n\xff,1,,\n"


def test_names_that_are_taken_get_a_prefix(tmp_path):
    header = extended(tmp_path / "a", b"title,Class,sure\n", "csv").decode()
    assert header == "title,Class,sure,biaoti_class,biaoti_sure\n"
    again = extended(tmp_path / "a", header.encode(), "csv").decode()
    assert again.endswith(",biaoti_biaoti_class,biaoti_biaoti_sure\n")
    line = extended(tmp_path / "a", '{"title": "股", "class": "财经"}\n'.encode(), "jsonl")
    assert json.loads(line) == {
        "title": "股", "class": "财经", "biaoti_class": 0, "biaoti_sure": True,
    }  # fmt: skip


def test_objects_get_keys_and_lines_that_hold_none_become_one(tmp_path):
    content = '{"id": 7, "title": "股市"}\nnot json\n\n{"title": null}\n'.encode()
    copy = extended(tmp_path / "a", content, "jsonl")
    assert [json.loads(line) for line in copy.splitlines()] == [
        {"id": 7, "title": "股市", "class": 0, "sure": True},
        {"line": "not json", "class": None, "sure": None},
        {"line": "", "class": None, "sure": None},
        {"title": None, "class": None, "sure": None},
    ]


def test_lines_become_a_table(tmp_path):
    assert extended(tmp_path / "a", "股市\n\n球队\n".encode(), "txt").decode() == (
        "title\tclass\tsure\n股市\t0\ttrue\n\t\t\n球队\t2\ttrue\n"
    )
    assert extended(tmp_path / "a", "股市\t2\n球队\n".encode(), "txt").decode() == (
        "title\tlabel\tclass\tsure\n股市\t2\t0\ttrue\n球队\t\t1\tfalse\n"
    )


def test_a_title_that_begins_with_a_quote_is_one_cell(tmp_path):
    copy = extended(tmp_path / "a", '"双减"之后\n他说"好"\n"\n'.encode(), "txt").decode()
    assert copy.splitlines()[1:] == [
        '"""双减""之后"\t0\ttrue', '他说"好"\t1\tfalse', '""""\t2\ttrue',
    ]  # fmt: skip
    rows = list(csv.reader(io.StringIO(copy), delimiter="\t"))
    assert [row[0] for row in rows[1:]] == ['"双减"之后', '他说"好"', '"']


def test_a_column_can_be_named(tmp_path):
    copy = extended(tmp_path / "a", "a,b\n,股\n".encode(), "csv", title_column="b")
    assert copy.decode() == "a,b,class,sure\n,股,0,true\n"


@pytest.mark.parametrize(
    ("line", "column", "format"),
    [
        ('{"title": "股"}', None, "jsonl"),
        ('\ufeff{"x": 1}', None, "jsonl"),
        ("id,title\r\n", None, "csv"),
        ("\ufeff标题;n", None, "csv"),
        ('"Title"\tn', None, "csv"),
        ("title\n", None, "csv"),
        ("id,headline_zh", "headline_zh", "csv"),
        ("id,headline_zh", None, "txt"),
        ("股市大涨，title 是什么", None, "txt"),
        ("", None, "txt"),
    ],
)
def test_a_format_is_told_by_the_first_line(line, column, format):
    assert format_of_line(line, column) == format
