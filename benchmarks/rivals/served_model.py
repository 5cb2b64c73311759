"""The model that every server of a run has: that of BIAOTI_MODEL, else the one that ships."""

from __future__ import annotations

import os
from pathlib import Path

from models.artifact import DEFAULT_FOLDER, LoadedModel, load


def open_model() -> LoadedModel:
    """On one thread, as each worker has it."""
    return load(Path(os.environ.get("BIAOTI_MODEL", DEFAULT_FOLDER)), threads=1)
