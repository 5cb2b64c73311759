"""What a setting may be: bounds stand beside its type, and are checked when it is built.

@dataclass(frozen=True)
class LoopSettings(Checked):
    epochs: Annotated[int, Whole(least=1)] = 3
    warmup_ratio: Annotated[float, Bounds(least=0, below=1)] = 0.1
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin, get_type_hints

from models.errors import UsageError

_LARGEST_WHOLE = 2**31 - 1
"""What fits the 32 bits in which fastText, LIBLINEAR and others keep a number."""


class Rule(Protocol):
    """What stands beside a type in `Annotated`, and says what a value has to be."""

    def refusal(self, value: Any) -> str:
        """Completes "must be …" for a value that is not allowed; empty for one that is.

        Args:
            value: never None; a tuple where the setting is one.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """An interval of finite numbers; of a tuple, each lies in it. NaN lies in none."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float = math.inf
    besides: tuple[float, ...] = ()
    """Numbers outside that have a meaning of their own, such as 0 for "no limit"."""

    def refusal(self, value: Any) -> str:
        """The bounds in words where a number lies outside."""
        if isinstance(value, tuple):
            return next(filter(None, map(self.refusal, value)), "")
        return self._no_number(value) or ("" if self._holds(value) else self._words())

    def _no_number(self, value: Any) -> str:
        return "" if isinstance(value, Real) and not isinstance(value, bool) else "a number"

    def _holds(self, value: float) -> bool:
        over = (self.least is None or value >= self.least) and (
            self.above is None or value > self.above
        )
        under = value < self.below and (self.most is None or value <= self.most)
        return (over and under) or value in self.besides

    def _words(self) -> str:
        floor = f"[{self.least}" if self.above is None else f"({self.above}"
        if self.most is not None:
            words = f"in {floor}, {self.most}]"
        elif self.below < math.inf:
            words = f"in {floor}, {self.below})"
        else:
            words = f"at least {self.least}" if self.above is None else f"above {self.above}"
        return " or ".join([words, *map(str, self.besides)])


@dataclass(frozen=True, kw_only=True)
class Whole(Bounds):
    """An interval of whole numbers."""

    def _no_number(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, Integral):
            return "a whole number"
        return f"at most {_LARGEST_WHOLE}" if int(value) > _LARGEST_WHOLE else ""


@dataclass(frozen=True)
class OneOf:
    """The words of a `Literal`; of a tuple, each is one of them."""

    words: tuple[str, ...]

    def refusal(self, value: Any) -> str:
        """The words, where a value is none of them."""
        known = all(each in self.words for each in (value if isinstance(value, tuple) else [value]))
        return "" if known else f"one of {', '.join(self.words)}"


class NonEmpty:
    """What may be given several times has to be given once."""

    def refusal(self, value: tuple[Any, ...]) -> str:
        """Whether there is none."""
        return "" if value else "given at least once"


PositiveInt = Annotated[int, Whole(least=1)]
NonNegativeInt = Annotated[int, Whole(least=0)]
PositiveFloat = Annotated[float, Bounds(above=0)]
NonNegativeFloat = Annotated[float, Bounds(least=0)]
Share = Annotated[float, Bounds(least=0, most=1)]
ShareBelowOne = Annotated[float, Bounds(least=0, below=1)]
PositiveShare = Annotated[float, Bounds(above=0, most=1)]
Seed = Annotated[int, Whole(least=0)]
"""What every library that draws numbers takes."""


class Checked:
    """Base of settings, which are frozen dataclasses: each field keeps to what its type says.

    Raises:
        UsageError: names the field, what it has to be and what came.
    """

    def __post_init__(self) -> None:
        settings: Any = type(self)
        for name, hint in hints(settings).items():
            value = getattr(self, name)
            if value is None and _takes_none(hint):
                continue
            for rule in rules(hint):
                if refusal := rule.refusal(value):
                    raise UsageError(f"{name} must be {refusal}, not {value!r}")


@cache
def hints(settings: Any) -> dict[str, Any]:
    """The type of each field, with what stands beside it."""
    found = get_type_hints(settings, include_extras=True)
    return {field.name: found[field.name] for field in fields(settings)}


def rules(hint: Any) -> Iterator[Rule]:
    """The rules in a type, those of its parts too."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from rules(hint.__origin__)
        yield from (each for each in hint.__metadata__ if hasattr(each, "refusal"))
    elif origin is Literal:
        yield OneOf(get_args(hint))
    elif origin in (Union, UnionType, tuple):
        for part in get_args(hint):
            yield from rules(part)


def _takes_none(hint: Any) -> bool:
    return hint is NoneType or any(map(_takes_none, get_args(hint)))
