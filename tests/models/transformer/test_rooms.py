"""What a served title runs through knows nothing of generation and of study."""

import ast
from pathlib import Path

import pytest

import models.transformer

FOLDER = Path(models.transformer.__file__).parent
SERVED = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("file", SERVED, ids=lambda file: file.stem)
def test_what_serves_imports_nothing_of_the_folders_beside_it(file: Path):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]

    assert [name for name in imported if "seq2seq" in name or "study" in name] == []


def test_every_file_has_its_place_in_the_reading_order():
    order = models.transformer.__doc__ or ""

    files = [file.stem for file in FOLDER.rglob("*.py") if file.stem != "__init__"]
    assert [name for name in files if name not in order] == []
