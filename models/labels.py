"""The classes of a model: names, display names, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from models.errors import DataError
from models.text_encoding import read_text

DISPLAY_NAMES = {
    "finance": "财经",
    "realty": "房产",
    "stocks": "股票",
    "education": "教育",
    "science": "科技",
    "society": "社会",
    "politics": "时政",
    "sports": "体育",
    "game": "游戏",
    "entertainment": "娱乐",
}
"""Chinese names of the ten classes of THUCNews titles."""


@dataclass(frozen=True)
class Labels:
    """Class names in the order of a model's scores; the id of a class is its place.

    Raises:
        DataError: no class, an empty name, or one name twice.
    """

    names: tuple[str, ...]
    display_names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names or not all(self.names):
            raise DataError("a model needs at least one class, and no class name may be empty")
        if len(set(self.names)) != len(self.names):
            twice = sorted({name for name in self.names if self.names.count(name) > 1})
            raise DataError(f"class names occur twice: {', '.join(twice)}")
        if len(self.display_names) != len(self.names):
            raise DataError(
                f"{len(self.names)} classes but {len(self.display_names)} display names"
            )

    @classmethod
    def of(cls, names: Iterable[str]) -> Labels:
        """Labels with the built-in display names where there is one, else the name itself."""
        names = tuple(names)
        return cls(names, tuple(DISPLAY_NAMES.get(name, name) for name in names))

    @classmethod
    def read(cls, path: Path) -> Labels:
        """Read `class.txt`: line n, from 0, is the name of label n.

        Raises:
            DataError: unreadable, in no known encoding, empty, or with an empty or repeated name.
        """
        try:
            text = read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"cannot read the class names: {error}", path) from error
        try:
            return cls.of(line.strip() for line in text.rstrip("\n").split("\n"))
        except DataError as error:
            raise DataError(f"{error}; write one class name a line", path) from error

    @cached_property
    def ids(self) -> dict[str, int]:
        """Name to id."""
        return {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)
