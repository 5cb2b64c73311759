"""What a recipe tells people while it works."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from models.remark import Remark

logger = logging.getLogger("biaoti.recipes")


def say(found: Iterable[Remark]) -> list[Remark]:
    """Tell people what is remarkable, as soon as it is known."""
    said = list(found)
    for remark in said:  # which may name a file whose name is not UTF-8
        logger.warning("warning: %s", str(remark).encode("utf-8", "backslashreplace").decode())
    return said
