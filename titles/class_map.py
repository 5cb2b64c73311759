"""A class map: a small file that says, line by line, what newsrooms mean by their labels.

    toutiao2018<TAB>news_house<TAB>realty
    toutiao2018<TAB>news_finance<TAB>finance|stocks     either of them
    toutiao2018<TAB>news_travel<TAB>outside             none of the classes
    toutiao2018<TAB>news_story<TAB>-                    tells nothing

A newsroom `*` is every one that has no line of its own. A label without a line tells nothing, and a
check says which rows have such. Lines that begin with `#`, and empty ones, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from models.errors import DataError
from models.labels import Labels
from models.text_encoding import read_text
from titles.newsroom_labels import NewsroomLabel, NewsroomLabels
from titles.source import Source

OUTSIDE, NOTHING, ANY_NEWSROOM = "outside", "-", "*"
_EXPECTED = "newsroom<TAB>label<TAB>classes"
_REMEDY = (
    f"write {_EXPECTED}, where the classes are names with '|' between them, '{OUTSIDE}' or "
    f"'{NOTHING}'"
)


@dataclass(frozen=True)
class Meaning:
    """What one label of one newsroom means.

    Attributes:
        may_be: ids of the classes that it may mean; none: it lies outside them all.
        says_nothing: its titles tell nothing, and are left out.
        line: of the file, counted from 1; 0 where it has none.
    """

    label: str
    may_be: tuple[int, ...]
    says_nothing: bool
    line: int


@dataclass(frozen=True)
class LabelMeanings:
    """What all labels of one newsroom mean in the classes of a model.

    Attributes:
        path: of the file that says it.
    """

    newsroom: str
    classes: Labels
    meanings: tuple[Meaning, ...]
    path: Path

    @property
    def labels(self) -> Labels:
        """The newsroom's own."""
        return Labels.of(meaning.label for meaning in self.meanings)

    @property
    def says_nothing(self) -> np.ndarray:
        """(labels,) bool: of which the titles are left out."""
        return np.array([meaning.says_nothing for meaning in self.meanings])

    @property
    def left_out(self) -> tuple[str, ...]:
        """The labels that say nothing."""
        return tuple(meaning.label for meaning in self.meanings if meaning.says_nothing)

    def lists(self, label_id: int) -> bool:
        """Whether the map has a line for the label, or only the newsroom has used it."""
        return label_id < len(self.meanings)

    def unmapped(self, label: str | None) -> str:
        """What is said of a label without a line."""
        return f"label {(label or '')[:40]!r} of {self.newsroom} has no line in {self.path.name}"

    def with_unlisted(self, labels: Labels) -> LabelMeanings:
        """The same, and then the labels without a line, which say nothing.

        Args:
            labels: the newsroom's own, those of the map first.
        """
        more = labels.names[len(self.meanings) :]
        unlisted = tuple(Meaning(label, (), says_nothing=True, line=0) for label in more)
        return replace(self, meanings=self.meanings + unlisted)

    def newsroom_labels(self, label_ids: np.ndarray) -> NewsroomLabels:
        """What titles with these of the newsroom's labels are known to be.

        Args:
            label_ids: (n,) places among `labels`.
        """
        kinds = tuple(
            NewsroomLabel(self.newsroom, meaning.label, meaning.may_be) for meaning in self.meanings
        )
        return NewsroomLabels(kinds, label_ids)


@dataclass(frozen=True)
class _Line:
    number: int
    newsroom: str
    label: str
    classes: tuple[str, ...]

    @property
    def named(self) -> list[str]:
        """The classes alone, of which `outside` and `-` are none."""
        return [name for name in self.classes if name not in (OUTSIDE, NOTHING)]


class ClassMap:
    """A file of meanings, whose classes are looked up when they are known.

    Args:
        path: as messages name it.
        lines: in the order of the file.
    """

    def __init__(self, path: Path, lines: tuple[_Line, ...]):
        self.path = path
        self._lines = lines

    @classmethod
    def read(cls, path: Path) -> ClassMap:
        """Read a file of meanings.

        Raises:
            DataError: it cannot be read, a line has another form, or two lines contradict.
        """
        try:
            text = read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"cannot read the class map: {error}", path) from error
        lines = tuple(_lines(path, text))
        if not lines:
            raise DataError(f"no line says what a label means; {_REMEDY}", path)
        _refuse_contradictions(path, lines)
        return cls(path, lines)

    @property
    def newsrooms(self) -> tuple[str, ...]:
        """In the order of the file."""
        return tuple(dict.fromkeys(line.newsroom for line in self._lines))

    @property
    def classes(self) -> Labels:
        """All classes that are named, in the order in which they are.

        Raises:
            DataError: there is none.
        """
        names = dict.fromkeys(name for line in self._lines for name in line.named)
        if not names:
            raise DataError("no line names a class", self.path)
        return Labels.of(names)

    def speaks_of(self, source: Source) -> bool:
        """Whether it says what the labels of the source's newsroom mean."""
        return not {source.newsroom, ANY_NEWSROOM}.isdisjoint(self.newsrooms)

    def of(self, source: Source, classes: Labels) -> LabelMeanings:
        """What the labels of the source's newsroom mean; the file must speak of it.

        Raises:
            DataError: a line names what is no class.
        """
        newsroom = source.newsroom or ANY_NEWSROOM
        own = newsroom if newsroom in self.newsrooms else ANY_NEWSROOM
        lines = {line.label: line for line in self._lines if line.newsroom == own}
        meanings = tuple(self._meaning(line, classes) for line in lines.values())
        return LabelMeanings(newsroom, classes, meanings, self.path)

    def _meaning(self, line: _Line, classes: Labels) -> Meaning:
        if unknown := [name for name in line.named if name not in classes.ids]:
            raise DataError(
                f"{unknown[0]!r} is not one of the classes ({', '.join(classes.names[:12])}); "
                f"{_REMEDY}",
                self.path,
                line.number,
            )
        ids = tuple(sorted(classes.ids[name] for name in line.named))
        return Meaning(line.label, ids, line.classes == (NOTHING,), line.number)


def _lines(path: Path, text: str) -> Iterator[_Line]:
    for number, raw in enumerate(text.split("\n"), 1):
        if not raw.strip() or raw.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in raw.split("\t")]
        if len(cells) != 3 or not all(cells):
            what = f"{len(cells)} columns, not 3" if len(cells) != 3 else "a column is empty"
            raise DataError(f"{what}; {_REMEDY}", path, number)
        classes = tuple(dict.fromkeys(name.strip() for name in cells[2].split("|")))
        alone = {OUTSIDE, NOTHING} & set(classes)
        if not all(classes) or (alone and len(classes) > 1):
            raise DataError(f"{cells[2]!r} is no list of classes; {_REMEDY}", path, number)
        yield _Line(number, cells[0], cells[1], classes)


def _refuse_contradictions(path: Path, lines: tuple[_Line, ...]) -> None:
    first: dict[tuple[str, str], _Line] = {}
    for line in lines:
        before = first.setdefault((line.newsroom, line.label), line)
        if set(before.classes) != set(line.classes):
            raise DataError(
                f"{line.newsroom} {line.label} means {'|'.join(line.classes)} here, but "
                f"{'|'.join(before.classes)} in line {before.number}; delete one of them",
                path,
                line.number,
            )
