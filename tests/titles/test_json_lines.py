"""The jsonl format: what counts as title and label, and what each bad line is called."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import DataError
from models.labels import Labels
from titles import Source, check, read_titles
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
        (3, "missing-title", "no key title or sentence or text"),
        (4, "missing-title", "no title (null)"),
        (5, "missing-title", "the title is not text (int)"),
        (6, "malformed-record", "not JSON"),
        (7, "malformed-record", "a JSON int, not an object"),
        (8, "broken-encoding", "the title holds bytes that are not UTF-8"),
        (9, "unknown-label", "the label is missing"),
        (10, "unknown-label", "label 'True' is not one of the 2 labels"),
    ]


def test_json_array_is_refused_as_a_whole(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text('[{"title": "甲"}]', encoding="utf-8")

    with pytest.raises(DataError, match=r"a\.json:1: the file is one JSON array; write one object"):
        next(read_titles(Source(path)))
