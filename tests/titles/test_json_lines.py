"""The jsonl format: what counts as title and label, and what each bad line is called."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import DataError
from models.labels import Labels
from titles import TITLE_COLUMNS, Source, check, read_titles
from titles.reading import Reading
from titles.record import Record

LABELS = Labels.of(["news_story", "news_car"])
titles = st.text(st.characters(exclude_categories=["Cs"])).map(lambda text: f"题{text}目")


@given(st.lists(st.tuples(titles, st.integers(0, 1))), st.booleans())
def test_any_titles_written_are_read_back(pairs: list[tuple[str, int]], ascii_only: bool):
    items = [{"title": title, "label": label} for title, label in pairs]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        lines = [json.dumps(item, ensure_ascii=ascii_only).encode() + b"\n" for item in items]
        path.write_bytes(b"".join(lines))

        reading = Reading(Source(path), labelled=True)

        assert [(r.title, int(r.label or "")) for r in reading] == pairs


def test_tnews_is_read_by_the_names_of_its_labels(tmp_path: Path):
    path = tmp_path / "dev.json"
    item = {"label": 107, "label_desc": "news_car", "sentence": "甲", "keywords": "", "id": 1}
    path.write_text(json.dumps(item), encoding="utf-8")

    assert list(Reading(Source(path), labelled=True)) == [Record(1, "甲", "news_car")]


def test_each_bad_line_is_named(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    lines = [
        '{"title": "好", "label": 1.0}',
        "",
        '{"label": 1}',
        '{"title": null, "label": 1}',
        '{"title": 3, "label": 1}',
        '{"title": "好",',
        "3",
        '{"title": "\\ud800", "label": 1}',
        '{"title": "好"}',
        '{"title": "好", "label": true}',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")

    report = check({"train": Source(path)}, LABELS)

    assert [(error.line, error.code, error.detail.split(":")[0]) for error in report.errors] == [
        (2, "missing-title", "the line is blank"),
        (3, "missing-title", f"no key {' or '.join(TITLE_COLUMNS)}"),
        (4, "missing-title", "no title (null)"),
        (5, "missing-title", "the title is not text (int)"),
        (6, "malformed-record", "not JSON"),
        (7, "malformed-record", "a JSON int, not an object"),
        (8, "broken-encoding", "the title holds bytes that are not UTF-8"),
        (9, "unknown-label", "the label is missing"),
        (10, "unknown-label", "the label is neither a name nor an id (bool"),
    ]


def test_json_array_is_refused_as_a_whole(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text('[{"title": "甲"}]', encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.json:1: the file is one JSON array; write one object"):
        next(read_titles(Source(path)))


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ('\n\n[\n  {"title": "甲"}\n]\n', 3, "one JSON array"),
        ('{\n  "title": "甲"\n}\n', 1, "one JSON document over several lines"),
        ('{"data": [{"title": "甲"}]}', 1, "one JSON object, whose 'data' holds all rows"),
        ('{"title": {"0": "甲"}, "label": {}}', 1, "one JSON object, whose 'title' holds all rows"),
    ],
)
def test_a_document_in_the_place_of_lines_is_named(
    tmp_path: Path, content: str, line: int, what: str
):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match=rf"a\.json:{line}: the file is {what}; write one object"):
        list(Reading(Source(tmp_path / "a.json"), labelled=False))


def test_a_list_of_one_label_is_the_label(tmp_path: Path):
    lines = '{"title": "甲", "label": ["news_car"]}\n{"title": "乙", "label": 1.0}\n'
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")

    records = list(Reading(Source(tmp_path / "a.jsonl"), labelled=True))

    assert [record.label for record in records] == ["news_car", "1"]
