"""What the README says is what happens: its commands are run as they stand, on samples/.

Those that need nothing of what others have made are run beside them, by `test_readme_alone.py`.
`make test` is left out, since it is what runs this file.
"""

import pytest

from .documents import BENCHMARKS, CURL, IN_ORDER, SERVE, run_block

pytestmark = pytest.mark.slow


def test_the_readme_has_what_is_run_here():
    assert len(SERVE) == len(CURL) == 1
    assert len(BENCHMARKS) == 1
    assert len(IN_ORDER) >= 8


@pytest.mark.parametrize("block", IN_ORDER, ids=lambda block: block.split("\n")[0][:60])
def test_a_command_of_the_readme_runs(block: str):
    run_block(block)
