"""What a split is, told from its name: which role it has, and whether it may lose rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

HELD_OUT = {"valid": 1, "validation": 1, "dev": 1, "eval": 1, "test": 2}


def numbered(roles: Iterable[str]) -> list[str]:
    """A name for each of several files by their roles: `train`, `train 2`, `dev`, `train 3`."""
    counts: Counter[str] = Counter()
    names = []
    for role in roles:
        counts[role] += 1
        names.append(role if counts[role] == 1 else f"{role} {counts[role]}")
    return names


def role_of(split: str) -> str:
    """What a split is to a model: that of its name without a number that `numbered` gave."""
    return re.sub(r" \d+$", "", split)


def protection(split: str) -> int:
    """How much a split may not lose rows, by its name: test_public 2, dev_0 1, any other 0."""
    return max(HELD_OUT.get(word, 0) for word in re.split("[^a-z]+", split.lower()))
