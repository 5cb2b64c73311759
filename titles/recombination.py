"""New titles for a teacher to judge, recombined from parts of those there are.

A teacher knows its own training titles by heart, so what it says of them is little more than their
labels. Of a title that it has not seen it says what it makes of the words, and that is what a
student lacks. Such titles need no label and no meaning, only words as they stand together in real
ones: a new title is a part of one, or parts of two. Made of titles that the teacher has not learned
from (see `folds`), they are new to its memory, too.
Source: Jiao et al. 2020, "TinyBERT", section 3.2 (augmented titles); Beyer et al. 2022,
"Knowledge distillation: A good teacher is patient and consistent" (mixed inputs).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.errors import UsageError
from models.outputs import OutputKind
from models.staging import staged_file
from titles.loading import read_titles
from titles.source import Source

_BREAK = re.compile(r"(?<=[\s，。：；、？！,:;?!|])(?=\S)")
"""Where a title falls into clauses: behind a space or a mark."""
_LEAST = 4
"""Characters of the shortest part."""


def _not_recombined(path: Path) -> str | None:
    with path.open("rb") as file:
        first = file.readline(1 << 16)
    alone = re.fullmatch(rb'\{"title": "([^"\\]|\\.)*"\}\r?\n', first)
    return None if alone else "its first line is no title alone"


RECOMBINED = OutputKind("a file of recombined titles", _not_recombined)
"""The file that `write_recombined` writes; one of titles with labels is not to be lost to it."""


def write_recombined(
    source: Source, each: int, output: Path, seed: int = 13, exclude: Iterable[str] = ()
) -> int:
    """Write titles made of parts of the source's, as JSON lines without a label.

    Args:
        each: how many for each title.
        exclude: titles that are not written, should they come out.
    Returns:
        How many were written: each once, and none that is a title of the source.
    Raises:
        UsageError: `each` is less than 1.
        DataError: a row cannot be used.
    """
    titles = list(read_titles(source))
    made = sorted(set(recombined(titles, each, seed)).difference(titles, exclude))
    with staged_file(output) as neighbour, neighbour.open("w", encoding="utf-8") as file:
        for title in made:
            file.write(json.dumps({"title": title}, ensure_ascii=False) + "\n")
    return len(made)


def recombined(titles: Sequence[str], count: int, seed: int) -> list[str]:
    """For each title `count` new ones: by turns a part of it, and a part of it with one of another.

    Raises:
        UsageError: `count` is less than 1.
    """
    if count < 1:
        raise UsageError(f"each title gives 1 or more, not {count}")
    drawn = random.Random(seed)
    made = []
    for title in titles:
        for number in range(count):
            parts = [_part(title, drawn)]
            if number % 2:
                parts.append(_part(drawn.choice(titles), drawn))
                drawn.shuffle(parts)
            made.append(" ".join(parts))
    return made


def _part(title: str, drawn: random.Random) -> str:
    """A clause of the title; of one that has no second clause, a half to nine tenths of it."""
    clauses = [clause.strip() for clause in _BREAK.split(title)]
    clauses = [clause for clause in clauses if len(clause) >= _LEAST]
    if len(clauses) > 1:
        return drawn.choice(clauses)
    whole = title.strip()
    length = max(min(_LEAST, len(whole)), round(len(whole) * drawn.uniform(0.5, 0.9)))
    start = drawn.randint(0, len(whole) - length)
    return whole[start : start + length].strip() or whole
