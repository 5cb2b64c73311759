"""The day or month of a title, in whatever way a file writes it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

_WRITTEN = re.compile(r"\s*(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2})|\D|$)")
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:\d{6})?")
_SECONDS = re.compile(r"\d{10}(\d{3})?")
"""Since 1970, or thousandths of these."""


def date_text(value: object) -> str | None:
    """`2026-06-01`, or `2026-06` where no day is told; None for what is no date.

    Args:
        value: a date, or text or a number that means one: `2026-6-1 08:00`, `2026/06/01`,
            `2026年6月`, `20260601`, seconds since 1970.
    """
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()[:10]
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    text = str(value).strip()
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), UTC).date().isoformat()
    found = _DIGITS.fullmatch(text) or _WRITTEN.match(text)
    return found and _checked(*found.groups())


def _checked(year: str, month: str, day: str | None) -> str | None:
    try:
        whole = date(int(year), int(month), int(day or 1)).isoformat()
    except ValueError:
        return None
    return whole if day else whole[:7]
