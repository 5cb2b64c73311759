"""Labelled titles as a file that every verb reads: JSON lines with the names of the labels."""

from __future__ import annotations

import json
from pathlib import Path

from models.staging import staged_file
from titles.labelled import LabelledTitles


def write_titles(titles: LabelledTitles, path: Path) -> None:
    """Write `{"title": …, "label": …}` a line; the file is whole, or absent."""
    with staged_file(path) as neighbour, neighbour.open("w", encoding="utf-8") as file:
        for title, label_id in zip(titles.titles, titles.label_ids, strict=True):
            record = {"title": title, "label": titles.labels.names[label_id]}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
