"""Files in slices: each row is in one of them, whole, wherever it is cut."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.errors import DataError
from models.text_encoding import UTF_8
from titles.byte_lines import ByteLines
from titles.parquet_table import parquet_slice, parquet_slices
from titles.slices import cells_of, text_slices
from titles.source import Source

TEXTS = {
    "csv": 'id,title,title,\r\n1,"股市\r\n大涨",a,\r\n2,球队,b\r\n\r\n3,,c,d\r\n4,"x""y",e,',
    "jsonl": '{"title": "股市", "n": 1}\n\n{"title": null}\nnone\n{"title": "球队", "x": ["a"]}',
    "txt": "股市\t财经\n球队\n\n高考\n\ta\n",
}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_slices_together_are_the_file(tmp_path: Path, format: str, rows: int, mark: str):
    path = tmp_path / "whole"
    path.write_bytes((mark + TEXTS[format]).encode())
    content, source = path.read_bytes(), Source(path, format)
    whole = list(cells_of(source, ByteLines(source)))

    slices = list(text_slices(source, rows))

    found, numbers = [], []
    for piece in slices:
        part = Source(tmp_path / "part", format)
        part.path.write_bytes(content[: piece.head] + content[piece.start : piece.stop])
        its = list(cells_of(part, ByteLines(part, encoding=UTF_8)))
        assert (len(its), piece.first) == (piece.rows, len(found))
        numbers += [row.record.line - its[0].record.line + piece.line for row in its]
        found += its
    assert [(row.cells, row.raw) for row in found] == [(row.cells, row.raw) for row in whole]
    assert numbers == [row.record.line for row in whole]
    assert [piece.rows for piece in slices[:-1]] == [rows] * (len(slices) - 1)


def test_cells_are_told_by_the_names_of_their_columns(tmp_path: Path):
    found = {}
    for format, text in TEXTS.items():
        (tmp_path / "a").write_text(text, encoding="utf-8", newline="")
        source = Source(tmp_path / "a", format)
        found[format] = [row.cells for row in cells_of(source, ByteLines(source))]
    assert found["csv"] == [
        {"id": "1", "title": "股市\r\n大涨", "biaoti_title": "a"},
        {"id": "2", "title": "球队", "biaoti_title": "b"},
        None,
        None,
        {"id": "4", "title": 'x"y', "biaoti_title": "e"},
    ]
    assert found["jsonl"] == [
        {"title": "股市", "n": "1"}, None, {"title": None}, None, {"title": "球队", "x": '["a"]'},
    ]  # fmt: skip
    assert found["txt"] == [
        {"title": "股市", "label": "财经"}, {"title": "球队", "label": None}, None,
        {"title": "高考", "label": None}, {"title": "", "label": "a"},
    ]  # fmt: skip


def test_an_encoding_that_cannot_be_cut_is_refused(tmp_path: Path):
    (tmp_path / "a.csv").write_bytes("title\n国足客场一球小胜\n".encode("utf-16"))

    with pytest.raises(DataError, match=r"is in UTF-16LE; convert it to UTF-8"):
        list(text_slices(Source(tmp_path / "a.csv", "csv"), 10))


def test_an_empty_file_has_no_slices(tmp_path: Path):
    (tmp_path / "a.csv").write_text("title\n")

    assert list(text_slices(Source(tmp_path / "a.csv", "csv"), 10)) == []


@pytest.mark.parametrize("rows", [1, 3, 4, 10, 11])
def test_slices_of_parquet_are_cut_across_its_row_groups(tmp_path: Path, rows: int):
    table = pa.table({"n": range(10), "title": [f"第{i}条" if i != 4 else None for i in range(10)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=4)
    source = Source(tmp_path / "a.parquet", "parquet")

    found = [parquet_slice(source, p.first, p.rows) for p in parquet_slices(source, rows)]

    assert pa.concat_tables([part for part, _ in found]).equals(table)
    records = [record for _, records in found for record in records]
    assert [record.line for record in records] == list(range(1, 11))
    assert [record.title for record in records] == table["title"].to_pylist()
