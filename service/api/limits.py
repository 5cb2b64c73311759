"""What a well-formed request may ask for: the limits of this server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.title_text import is_blank
from service.api.request_body import json_type
from service.api.schemas import ClassifyRequest
from service.problems import InvalidRequest, Problem, TooLarge
from service.settings import Settings


@dataclass(frozen=True)
class Asked:
    """What came as titles, told apart.

    Attributes:
        titles: those that can be scored, in their order.
        places: of these in the request.
        problems: of the others, by their places.
    """

    titles: list[str]
    places: list[int]
    problems: dict[int, Problem]

    def require_all(self) -> None:
        """Raises: Problem: that of the first title that cannot be scored."""
        for problem in self.problems.values():
            raise problem


def check_limits(request: ClassifyRequest, settings: Settings) -> Asked:
    """Refuse a request that exceeds a limit as a whole; of single titles, say which cannot be read.

    Raises:
        TooLarge: too many titles; in a strict request, one that is too long.
        InvalidRequest: no title, or a `top_k` out of range; in a strict request, a title that is
            blank or no string.
    """
    check_count(len(request.titles), settings.max_titles, "titles")
    check_top_k(request.top_k, settings.max_top_k)
    asked = told_apart(request.titles, settings.max_title_chars, "titles")
    if request.strict:
        asked.require_all()
    return asked


def told_apart(titles: Sequence[Any], most_chars: int, field: str) -> Asked:
    """Titles that can be scored, and what is wrong with the others.

    Args:
        field: of the request, that holds them.
    """
    asked = Asked([], [], {})
    for place, title in enumerate(titles):
        problem = problem_of(title, f"{field}[{place}]", most_chars)
        if problem is None:
            asked.titles.append(title)
            asked.places.append(place)
        else:
            asked.problems[place] = problem
    return asked


def check_top_k(top_k: int | None, limit: int) -> None:
    """Raises: InvalidRequest: out of range."""
    if top_k is not None and not 1 <= top_k <= limit:
        raise InvalidRequest(
            "top_k_out_of_range",
            f"top_k is {str(top_k)[:20]}; it must be from 1 to {limit}",
            where="top_k",
        )


def check_count(count: int, limit: int, field: str) -> None:
    """Raises: InvalidRequest: none; TooLarge: more than the limit."""
    if count == 0:
        raise InvalidRequest(
            f"empty_{field}", f"{field} is empty; send at least one title", where=field
        )
    if count > limit:
        raise TooLarge(
            "too_many_titles",
            f"{count} titles came, at most {limit} are taken at once; split them over requests",
            where=field,
        )


def problem_of(title: Any, where: str, limit: int) -> Problem | None:
    """Why a title cannot be scored; None where it can.

    Args:
        where: it stands in the request.
        limit: of characters.
    """
    if not isinstance(title, str):
        came = json_type(title)
        return InvalidRequest(
            "title_not_a_string", f"{where} is {came}; every title must be a string", where=where
        )
    if len(title) > limit:
        return TooLarge(
            "title_too_long",
            f"{where} has {len(title)} characters, at most {limit} are taken; shorten it",
            where=where,
        )
    if is_blank(title):
        return InvalidRequest(
            "blank_title",
            f"{where} is blank (empty, spaces or invisible characters alone); leave it out",
            where=where,
        )
    return None
