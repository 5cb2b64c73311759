"""What a well-formed request may ask for: the limits of this server."""

from __future__ import annotations

from models.title_text import is_blank
from service.errors import InvalidRequest, TooLarge
from service.schemas import ClassifyRequest
from service.settings import Settings


def check_limits(request: ClassifyRequest, settings: Settings) -> None:
    """Refuse a request as a whole when any part of it exceeds a limit.

    Raises:
        TooLarge: too many titles, or one that is too long.
        InvalidRequest: no title, a blank one, or a `top_k` out of range.
    """
    _check_count(len(request.titles), settings.max_titles)
    _check_top_k(request.top_k, settings.max_top_k)
    for index, title in enumerate(request.titles):
        _check_title(f"titles[{index}]", title, settings.max_title_chars)


def _check_count(count: int, limit: int) -> None:
    if count == 0:
        raise InvalidRequest(
            "empty_titles", "titles is empty; send at least one title", where="titles"
        )
    if count > limit:
        raise TooLarge(
            "too_many_titles",
            f"{count} titles came, at most {limit} are taken at once; split them over requests",
            where="titles",
        )


def _check_top_k(top_k: int | None, limit: int) -> None:
    if top_k is not None and not 1 <= top_k <= limit:
        raise InvalidRequest(
            "top_k_out_of_range",
            f"top_k is {str(top_k)[:20]}; it must be from 1 to {limit}",
            where="top_k",
        )


def _check_title(where: str, title: str, limit: int) -> None:
    if len(title) > limit:
        raise TooLarge(
            "title_too_long",
            f"{where} has {len(title)} characters, at most {limit} are taken; shorten it",
            where=where,
        )
    if is_blank(title):
        raise InvalidRequest(
            "blank_title",
            f"{where} is blank (empty, spaces or invisible characters alone); leave it out",
            where=where,
        )
