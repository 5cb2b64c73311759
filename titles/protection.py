"""Which split may least lose rows, told from its name."""

from __future__ import annotations

import re

_HELD_OUT = {"valid": 1, "validation": 1, "dev": 1, "eval": 1, "test": 2}


def role_of(split: str) -> str:
    """What a split is to a model: `train 2` is another file of `train`."""
    return re.sub(r" \d+$", "", split)


def protection(split: str) -> int:
    """How much a split may not lose rows, by its name: test_public 2, dev_0 1, any other 0."""
    return max(_HELD_OUT.get(word, 0) for word in re.split("[^a-z]+", split.lower()))
