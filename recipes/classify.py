"""`biaoti classify`: titles to classes, as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Annotated

from tyro.conf import Positional, arg

from models.artifact import DEFAULT_FOLDER, LoadedModel, load
from models.bounds import Checked, NonEmpty
from models.classifier import Prediction, TitleClassifier, predict
from models.errors import DataError
from models.title_text import is_blank
from recipes.settings import Folder, Number, Threads
from titles import Source
from titles.byte_lines import ByteLines

CHUNK = 1024
"""Titles scored at once."""


@dataclass(frozen=True, kw_only=True)
class Classify(Checked):
    """Classify titles, in their order; '-' reads them from standard input, one a line."""

    titles: Annotated[tuple[str, ...], Positional, arg(metavar="TITLE"), NonEmpty()]
    """A title; '-' reads standard input."""
    model: Folder = DEFAULT_FOLDER
    """The model."""
    top_k: Number = 1
    """Classes shown for each title."""
    uncalibrated: bool = False
    """Give scores before temperature scaling."""
    threads: Threads = None
    """Threads that score."""


def classify_titles(settings: Classify) -> tuple[LoadedModel, Iterator[Prediction]]:
    """The model, and its predictions in the titles' order, as they are scored.

    Raises, the iterator too:
        DataError: a title is blank, or not UTF-8.
    """
    model = load(settings.model, settings.threads)
    chosen = model.uncalibrated if settings.uncalibrated else model
    return model, classify(chosen, _titles(settings.titles), settings.top_k)


def classify(
    model: LoadedModel | TitleClassifier, titles: Iterable[str], top_k: int = 1
) -> Iterator[Prediction]:
    """The `top_k` most probable classes of each title, in the titles' order, as they are scored.

    Args:
        model: what `models.artifact.load` gives, whose threshold says what is unknown.
        titles: any number; at most 1,024 are held at once.
    """
    threshold = model.manifest.threshold if isinstance(model, LoadedModel) else 0.0
    remaining = iter(titles)
    while chunk := list(islice(remaining, CHUNK)):
        yield from predict(model, chunk, top_k, threshold)


def _titles(given: Sequence[str]) -> Iterator[str]:
    """The titles given, with standard input in the place of '-'."""
    for title in chain.from_iterable(
        _read_stdin() if each == "-" else [_decoded(each)] for each in given
    ):
        if is_blank(title):
            raise DataError("a title is blank; pass at least one visible character")
        yield title


def _decoded(argument: str) -> str:
    """A title of the command line, whose bytes Python keeps where it cannot tell what they mean.

    Raises:
        DataError: they are not UTF-8.
    """
    try:
        return argument.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError as error:
        raise DataError(
            f"not UTF-8: the title {argument!a}; use a terminal in UTF-8, or convert it first"
        ) from error


def _read_stdin() -> Iterator[str]:
    number = 0
    for number, line in enumerate(ByteLines(Source("-")), start=1):
        try:
            title = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(f"not UTF-8: {error}; convert it first", "<stdin>", number) from error
        if is_blank(title):
            raise DataError("a blank line; remove it", "<stdin>", number)
        yield title
    if not number:
        raise DataError("no titles; write one a line", "<stdin>")
