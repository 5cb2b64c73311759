"""Repair what is wrong with a title without changing what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from models.title_text import without_markup

_CONTROL = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters and invisible format characters; not the joiners that emoji are built with."""
_BREAK = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_WIDE_SPACE = re.compile(r"[^\S \t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_DOUBLED_SPACE = re.compile(" {2,}")


def needs_repair(title: str) -> bool:
    """Whether `repair` would change the title."""
    if title.isprintable() and without_markup(title) == title:  # and no space but U+0020
        return "  " in title or title[:1] == " " or title[-1:] == " "
    return repair(title)[0] != title


def repair(title: str) -> tuple[str, tuple[str, ...]]:
    """The title with one plain space where there were others, without markup and controls.

    Returns:
        (title, reasons): reasons among markup (entities and tags of HTML), control-characters,
        wide-spaces (ideographic, no-break and the like), doubled-spaces and edge-spaces, in this
        order; empty when nothing was wrong.
    """
    found: set[str] = set()
    again = True
    while again:  # what one step takes away may show another something
        again = False
        for reason, step in _STEPS:
            repaired = step(title)
            if repaired != title:
                again, title = True, repaired
                found.add(reason)
    return title, tuple(reason for reason, _ in _STEPS if reason in found)


def _without_controls(title: str) -> str:
    return _BREAK.sub(" ", _CONTROL.sub("", title))


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("markup", without_markup),
    ("control-characters", _without_controls),
    ("wide-spaces", partial(_WIDE_SPACE.sub, " ")),
    ("doubled-spaces", partial(_DOUBLED_SPACE.sub, " ")),
    ("edge-spaces", lambda title: title.strip(" ")),
)
