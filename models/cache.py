"""Where what can be made again is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

from models.errors import UsageError


def default_cache() -> Path:
    """`$XDG_CACHE_HOME/biaoti`, by default `~/.cache/biaoti`.

    Raises:
        UsageError: neither is known, as for a user of a container that has no name.
    """
    named = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(named or Path.home() / ".cache") / "biaoti"
    except RuntimeError as error:
        raise UsageError(
            "your home folder is not known; set HOME or XDG_CACHE_HOME to a folder"
        ) from error
