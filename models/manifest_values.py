"""What each entry of `artifact.json` may be: it is checked before anything of it is believed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

COLDEST, HOTTEST = 0.01, 100.0
"""Temperatures; what is fitted on held-out titles lies well between them."""


class _Rule(NamedTuple):
    holds: Callable[[Any], bool]
    expected: str


def check_values(content: Mapping[str, Any]) -> None:
    """Check type and bounds of every entry, whoever wrote them.

    Raises:
        ValueError: says which entry, what it must be and what it is.
        KeyError: an entry is missing.
    """
    for name, rule in _RULES.items():
        if not rule.holds(content[name]):
            raise ValueError(f"{name} must be {rule.expected}, not {repr(content[name])[:80]}")
    for name in ("trained_on", "hyperparameters", "metrics"):
        if not isinstance(content["provenance"].get(name, {}), dict):
            raise ValueError(f"{name} must be an object")
    threshold = content.get("threshold", 0.0)
    if not _is_number(threshold) or not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be a number from 0 to 1, not {repr(threshold)[:80]}")
    classes = len(content["labels"])
    if any(len(probe["scores"]) != classes for probe in content["probes"]):
        raise ValueError(f"probes must have {classes} scores each, one a class")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(map(_is_text, value))


def _is_length(value: Any) -> bool:
    return value is None or (type(value) is int and 1 <= value <= 1 << 20)


def _are_probes(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(map(_is_probe, value))


def _is_probe(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_text(value.get("title"))
        and isinstance(scores := value.get("scores"), list)
        and all(_is_number(score) and -1e-3 <= score <= 1 + 1e-3 for score in scores)
    )


def _are_files(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_file, value.values()))


def _is_file(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"bytes", "sha256"}
        and type(value["bytes"]) is int
        and isinstance(value["sha256"], str)
    )


_RULES = {
    "format_version": _Rule(lambda value: type(value) is int and value >= 1, "a number from 1"),
    "name": _Rule(_is_text, "text"),
    "version": _Rule(
        lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{12}", value) is not None,
        "12 hexadecimal digits",
    ),
    "route": _Rule(_is_text, "text"),
    "labels": _Rule(_are_texts, "a list of texts, one a class"),
    "display_names": _Rule(_are_texts, "a list of texts, one a class"),
    "max_length": _Rule(_is_length, "a number of tokens from 1, or null"),
    "temperature": _Rule(
        lambda value: _is_number(value) and COLDEST <= value <= HOTTEST,
        f"a number from {COLDEST} to {HOTTEST:g}",
    ),
    "provenance": _Rule(lambda value: isinstance(value, dict), "an object"),
    "code_revision": _Rule(lambda value: isinstance(value, str), "text"),
    "files": _Rule(_are_files, "an object with bytes and sha256 of each file"),
    "probes": _Rule(_are_probes, "a list, not empty, of titles with their scores from 0 to 1"),
}
