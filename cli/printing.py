"""Where a result is printed, and how: to standard output or a file, for people or as JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

from tyro.conf import arg

from cli.console import to_json
from models.outputs import OutputKind, claim_file
from models.staging import staged_file

_BEGINNINGS = re.compile(
    rb"""\{\s+"(errors|model|name)":\          # the JSON of data check, of evaluate, of verify
       | \{"model":\                         # of classify
       | split\ +rows\ +usable\ | model\ {6} | [^\n]+:\ \S+\ [0-9a-f]{12}\ \ holds\n
       | [^\t\n]+\ \d\.\d{4}\t              # and their tables
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, kw_only=True)
class Printing:
    """How the result is written."""

    json: bool = False
    """Write JSON for programs instead of a table."""
    output: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write to this file instead of standard output; only such a result is replaced."""


def _no_result(path: Path) -> str | None:
    with path.open("rb") as file:
        found = _BEGINNINGS.match(file.read(4096))
    return None if found else "it begins otherwise"


RESULT = OutputKind("a result that biaoti printed", _no_result)


def claim_output(printing: Printing, settings: Any) -> None:
    """Refuse a file that would cost somebody something, before any work.

    Args:
        settings: of the verb; whatever file they name may be read, or written, too.
    Raises:
        UsageError, FileError: see `models.outputs.claim_file`.
    """
    if printing.output is not None:
        force = getattr(settings, "force", None)
        # of titles among them, too, which no method of Path may be asked: they may be long
        files = [name for name in _named(settings) if not os.path.isdir(name)]  # noqa: PTH112
        claim_file(printing.output, files, RESULT, force)


def _named(setting: Any) -> Iterator[str | Path]:
    """Every text and path in settings, but for what says how the result is printed."""
    if isinstance(setting, str | Path):
        yield setting
    elif isinstance(setting, tuple):
        for each in setting:
            yield from _named(each)
    elif is_dataclass(setting) and not isinstance(setting, Printing):
        for field in fields(setting):
            yield from _named(getattr(setting, field.name))


def write(result: dict[str, Any] | str, printing: Printing) -> None:
    """Write a result that is whole, as JSON unless it is text."""
    with opened(printing) as file:
        shown = result if isinstance(result, str) else to_json(result, file, indent=2)
        print(shown, file=file)


@contextmanager
def opened(printing: Printing) -> Iterator[TextIO]:
    """Standard output, or a file that is whole at the end or absent."""
    if printing.output is None:
        yield sys.stdout
        return
    with (
        staged_file(printing.output) as neighbour,
        neighbour.open("w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        yield file
