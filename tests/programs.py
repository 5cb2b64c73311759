"""Programs beyond Python that some tests drive; `make programs` installs them from Debian's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

_POSTGRESQL = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
ALL_TESTS = "LEAVE_NO_TEST_OUT"
"""Set where no test may be left out, as in CI."""


def needed(name: str) -> str:
    """The program's path; where there is none, the test is left out with a word, or fails in CI."""
    path = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *_POSTGRESQL]))
    if path is None:
        what = f"{name} is not installed; 'make programs' does that"
        (pytest.fail if os.environ.get(ALL_TESTS) else pytest.skip)(what)
    return path
