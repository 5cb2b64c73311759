"""Where what can be made again is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path


def default_cache() -> Path:
    """`$XDG_CACHE_HOME/biaoti`, by default `~/.cache/biaoti`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "biaoti"
