"""Titles are written so that they are read back alike."""

from pathlib import Path

from models.labels import Labels
from titles import LabelledTitles, Source, read, write_titles


def test_titles_are_read_back_as_they_were(tmp_path: Path):
    titles = ["国足 客场\u2028一球小胜", '"A股"，收涨\t3%', "甲"]
    labels = Labels.of(["体育", "股票"])

    write_titles(LabelledTitles.of(titles, [0, 1, 0], labels), tmp_path / "titles.jsonl")

    found = read(Source(tmp_path / "titles.jsonl"), labels)
    assert list(found.titles) == titles
    assert found.label_ids.tolist() == [0, 1, 0]
