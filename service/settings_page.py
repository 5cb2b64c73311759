"""All settings as a page: `python -m service.settings_page > docs/settings.md`."""

from __future__ import annotations

import ast
import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from models.artifact import DEFAULT_FOLDER
from service.settings import FILE_VARIABLE, PREFIX, Settings

_HEAD = f"""# Settings of the service

Each is a variable of the environment, an entry of the file in TOML that `biaoti serve --settings
FILE` or `{FILE_VARIABLE}` names, or for some an option of `biaoti serve`. An option wins over the
environment, that over the file. Written by `python -m service.settings_page > docs/settings.md`.

| variable | in a file | default | |
|---|---|---|---|
"""


def settings_page() -> str:
    """In Markdown."""
    said = _documentation()
    rows = [
        f"| `{PREFIX}{name.upper()}` | `{name}` | {_shown(field.default)} | {said[name]} |"
        for name, field in Settings.model_fields.items()
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _documentation() -> dict[str, str]:
    """What stands below each field."""
    (tree,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for statement, text in pairwise(tree.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(text, ast.Expr):
            name, value = ast.unparse(statement.target), ast.literal_eval(text.value)
            found[name] = " ".join(value.split()).replace("|", r"\|")
    return found


def _shown(default: Any) -> str:
    if default == DEFAULT_FOLDER:
        return "the model that ships"
    if isinstance(default, Path):
        return f"`{default}`"
    if default is None or default in ("", (), {}):
        return ""
    return f"`{json.dumps(default)}`"


if __name__ == "__main__":
    print(settings_page(), end="")
