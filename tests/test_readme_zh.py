"""The two READMEs say the same: commands, sections, and every figure of their tables."""

from __future__ import annotations

import re

from .documents import ROOT, bash_blocks

ENGLISH, CHINESE = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md"))


def table_figures(text: str) -> list[list[str]]:
    """The numbers of each row of each table, those in code left out."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [re.findall(r"\d+(?:\.\d+)?", re.sub(r"`[^`]*`", "", row)) for row in rows]


def test_the_commands_are_the_same():
    english = bash_blocks("README.md")
    assert english
    assert bash_blocks("README.zh-CN.md") == english


def test_the_sections_are_as_many():
    assert CHINESE.count("\n## ") == ENGLISH.count("\n## ") > 5


def test_the_tables_hold_the_same_figures():
    assert table_figures(CHINESE) == table_figures(ENGLISH)
    assert any("82.0" in row for row in table_figures(ENGLISH))


def test_each_links_to_the_other():
    assert "(README.zh-CN.md)" in ENGLISH
    assert "(README.md)" in CHINESE
