"""docs/kinds.md names, for each kind of trouble, the test that holds it: they are there."""

import re

import pytest

from .documents import ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "kinds.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and ".py" in line
]


def test_there_are_kinds():
    assert len(ROWS) > 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:50])
def test_the_test_of_a_kind_is_there(row: list[str]):
    kind, now, tests = row
    named = re.findall(r"`([\w/.]+)(?:::(\w+))?`", tests)

    assert kind
    assert now
    assert named
    for path, name in named:
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"
