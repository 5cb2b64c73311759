"""A label as text: what is no part of its name, and what cannot be a name."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]"
)
"""Control and format characters, and letters that are shown as nothing."""
_ABSENT = {"nan", "nat", "null", "none", "n/a", "#n/a", "<na>"}
"""What programs write where there is no value."""
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"([0-9]+)\.0*")
_DATE = re.compile(r"[0-9]{4}([-/.年])[0-9]{1,2}[-/.月][0-9]{1,2}(?:$|[日T ].*)")


def label_name(text: str) -> str | None:
    """The label without blanks at its ends and invisible characters; None where nothing is left."""
    if text.isalnum():
        return text
    return _INVISIBLE.sub("", text).strip() or None


def as_id(label: str) -> str:
    """`1.0`, which spreadsheets and data frames make of an id, as `1`; any other label as it is."""
    whole = _WHOLE.fullmatch(label)
    return whole[1] if whole else label


def is_missing(label: str) -> bool:
    """Whether it is what programs write where there is no value; a class may still be named so."""
    return label.casefold() in _ABSENT


def nameless(label: str) -> str | None:
    """What a label is that names no class: `number`, `date` or `truth value`; else None."""
    if _NUMBER.fullmatch(label):
        return "number"
    if _DATE.match(label):
        return "date"
    return "truth value" if label.casefold() in ("true", "false") else None


def differs_in_looks_only(one: str, other: str) -> bool:
    """Whether two labels are the same but for case, width, blanks and punctuation between words."""
    return looks(one) == looks(other)


def looks(label: str) -> str:
    """What labels share that a reader takes for one: no case, width, blanks, hyphens."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return re.sub(r"[\s_\-·・.]+", "", _INVISIBLE.sub("", folded)) or folded
