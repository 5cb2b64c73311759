"""Repair what is wrong with a title without changing what it says."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters and invisible format characters; not the joiners that emoji are built with."""
_BREAK = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_WIDE_SPACE = re.compile(r"[^\S \t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_DOUBLED_SPACE = re.compile(" {2,}")


def needs_repair(title: str) -> bool:
    """Whether `repair` would change the title."""
    if title.isprintable():  # no control character, and no space but U+0020
        return "  " in title or title[:1] == " " or title[-1:] == " "
    return repair(title)[0] != title


def repair(title: str) -> tuple[str, tuple[str, ...]]:
    """The title with one plain space where there were others, and without control characters.

    Returns:
        (title, reasons): reasons among control-characters, wide-spaces (ideographic, no-break and
        the like), doubled-spaces and edge-spaces, in this order; empty when nothing was wrong.
    """
    reasons = []
    for reason, pattern, by in _STEPS:
        repaired = pattern.sub(by, title)
        if repaired != title and reason not in reasons:
            reasons.append(reason)
        title = repaired
    if title != title.strip(" "):
        reasons.append("edge-spaces")
    return title.strip(" "), tuple(reasons)


_STEPS = (
    ("control-characters", _CONTROL, ""),
    ("control-characters", _BREAK, " "),
    ("wide-spaces", _WIDE_SPACE, " "),
    ("doubled-spaces", _DOUBLED_SPACE, " "),
)
