"""What the README says is what happens: its commands are run as they stand.

`DATA`, which a reader points at a folder of their own, is one with every third of the titles of
samples/ to learn from and to test on, so that an encoder of 12 layers need not read them all. Those
that need nothing of what others have made are run beside them, by `test_readme_alone.py`.
`make test` is left out, since it is what runs this file.
"""

from pathlib import Path
from shutil import copy

import pytest

from .conftest import SAMPLES
from .documents import BENCHMARKS, CURL, IN_ORDER, SERVE, run_block

pytestmark = pytest.mark.slow


def test_the_readme_has_what_is_run_here():
    assert len(SERVE) == len(CURL) == 1
    assert len(BENCHMARKS) == 1
    assert len(IN_ORDER) >= 8


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("titles")
    for name in ("class.txt", "dev.txt"):
        copy(SAMPLES / name, folder)
    for name in ("train.txt", "test.txt"):
        lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[::3]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("block", IN_ORDER, ids=lambda block: block.split("\n")[0][:60])
def test_a_command_of_the_readme_runs(block: str, data: Path):
    run_block(block, data)
