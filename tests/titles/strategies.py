"""Titles, labels and files as people and their programs make them, good and bad (Hypothesis)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

CLASSES = ("财经", "体育", "教育")

titles = st.one_of(
    st.sampled_from(["国足客场一球小胜", "A股三大指数收涨", "教育部公布高考时间", "北京楼市新政"]),
    st.text(
        "国足股市高考ab1，！ \u3000\"',;\t\n\r\x00\x85\u2028\u200b\ufeff\ufffd\ue000&<", max_size=8
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
labels = st.one_of(
    st.sampled_from(CLASSES),
    st.sampled_from(["0", "1", "2"]),
    st.sampled_from(
        ["3", "-1", "1.0", "体育\u200b", " 财经 ", "nan", "True", "2024-05-01", "", "x"]
    ),
)
values = st.one_of(
    labels,
    st.integers(-2, 4),
    st.sampled_from(
        [None, True, 1.0, 2.5, float("nan"), ["体育"], [], ["体育", "财经"], {"id": 1}]
    ),
    st.recursive(st.none(), lambda inner: st.lists(inner, max_size=2), max_leaves=4),
)
"""Labels of typed formats."""
ends = st.sampled_from(["\n", "\r\n", "\r"])
codecs = st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "big5"])
rows = st.lists(st.tuples(titles, labels), max_size=10)


@st.composite
def text_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file of lines, parted by tabs or by what is taken for one, perhaps with a header."""
    by = draw(st.sampled_from(["\t", "\t", "\t", " ", ","]))
    end = draw(ends)
    header = draw(st.sampled_from(["", "", f"标题{by}类别{end}", f"label{by}title{end}"]))
    lines = "".join(f"{title}{by}{label}{end}" for title, label in draw(rows))
    return draw(st.sampled_from(["a.txt", "a.tsv"])), _encoded(draw, header + lines)


@st.composite
def csv_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A table in a dialect of CSV, its columns in any order; or its cells joined by hand."""
    by = draw(st.sampled_from(",\t;"))
    names = draw(st.permutations(["id", draw(st.sampled_from(["title", "标题"])), "Label", ""]))
    text = io.StringIO()
    text.write(draw(st.sampled_from(["", "", f"sep={by}\n"])))
    by_hand = draw(st.booleans())
    writer = csv.writer(
        text,
        delimiter=by,
        lineterminator=draw(ends),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow(names)
    for place, (title, label) in enumerate(draw(rows)):
        held = {"id": str(place), "Label": label, "": ""}
        cells = [held.get(name, title) for name in names]
        if by_hand:
            text.write(by.join(cells) + "\n")
        else:
            writer.writerow(cells)
    return "a.csv", _encoded(draw, text.getvalue())


@st.composite
def json_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A line an object, with values of any type; or all of them in one document."""
    items = [
        {"title": title, "label": value, "id": place}
        for place, (title, value) in enumerate(
            draw(st.lists(st.tuples(titles, values), max_size=10))
        )
    ]
    plain = draw(st.booleans())
    if draw(st.integers(0, 9)) == 0:
        return "a.json", _encoded(draw, json.dumps(items, ensure_ascii=plain))
    end = draw(ends)
    return "a.jsonl", _encoded(
        draw, "".join(json.dumps(i, ensure_ascii=plain) + end for i in items)
    )


@st.composite
def excel_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sheet with values of any type that a cell can hold, and blank rows."""
    book = openpyxl.Workbook()
    book.active.append(draw(st.permutations(["id", "title", "Label", None])))
    cells = st.one_of(
        titles.map(lambda title: ILLEGAL_CHARACTERS_RE.sub("", title)),
        st.sampled_from([None, 0, 1.0, 2.5, True, datetime(2026, 5, 1), *CLASSES, "=1/0"]),
    )
    for row in draw(st.lists(st.lists(cells, max_size=5), max_size=8)):
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    return "a.xlsx", content.getvalue()


any_bytes = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"\xb9\xfa", b"\xe5\x9b\xbd", b"\t", b"\n", b'"', b",", b"0", b"\0"])
    ).map(b"".join),
)
files = st.one_of(
    text_files(),
    csv_files(),
    json_files(),
    excel_files(),
    st.tuples(st.sampled_from(["a.txt", "a.csv", "a.jsonl", "a.parquet", "a.xlsx"]), any_bytes),
)
"""Name and content of a file in a format of lines, a workbook, or of something else by its name."""


def write_parquet(path: Path, pairs: Sequence[tuple[str, str]]) -> None:
    """The same rows as columns."""
    columns = {"title": [title for title, _ in pairs], "label": [label for _, label in pairs]}
    pq.write_table(
        pa.table(columns, pa.schema([("title", pa.string()), ("label", pa.string())])), path
    )


def _encoded(draw: st.DrawFn, text: str) -> bytes:
    """The text in some encoding, sometimes with damage that a disk or an editor does."""
    content = text.encode(draw(codecs), "replace")
    if content and draw(st.integers(0, 4)) == 0:
        place = draw(st.integers(0, len(content)))
        damage = draw(st.sampled_from([b"", b'"', b"\0", b"\xff", b"\n", b"\t", b"[" * 9]))
        content = content[:place] + damage + content[place + draw(st.integers(0, 3)) :]
    return content
