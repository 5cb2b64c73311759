"""Files that several verbs' tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

from titles import LabelledTitles


@pytest.fixture
def titles(tmp_path: Path, three_topics: LabelledTitles) -> Path:
    """The titles of three topics in a file, with their classes beside it."""
    (tmp_path / "class.txt").write_text("stocks\nsports\neducation\n")
    path = tmp_path / "titles.txt"
    rows = zip(three_topics.titles, three_topics.label_ids, strict=True)
    path.write_text("".join(f"{title}\t{label}\n" for title, label in rows), encoding="utf-8")
    return path
