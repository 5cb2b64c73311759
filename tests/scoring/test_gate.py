from math import nan

import pytest

from models.errors import GateFailed
from scoring.gate import gate


@pytest.mark.parametrize(("after", "lost"), [(0.918, 0.0), (0.916, 0.2), (0.95, -3.2)])
def test_a_model_within_the_limit_passes_with_what_it_lost(after: float, lost: float):
    assert gate(0.918, after, max_drop=0.2) == pytest.approx(lost)


@pytest.mark.parametrize(
    ("before", "after", "most"), [(nan, 0.9, 1), (0.9, nan, 1), (0.9, 0.1, nan)]
)
def test_what_is_not_a_number_does_not_pass(before: float, after: float, most: float):
    with pytest.raises(GateFailed):
        gate(before, after, most)


@pytest.mark.parametrize(("most", "last"), [(0.0, 0.918), (0.2, 0.916), (1.0, 0.908)])
def test_the_limit_itself_passes_and_nothing_beyond_it(most: float, last: float):
    assert gate(0.918, last, most) == pytest.approx(most)
    with pytest.raises(GateFailed):
        gate(0.918, last - 1e-5, most)


def test_a_model_that_lost_more_does_not_and_the_message_says_how_to_go_on():
    with pytest.raises(GateFailed) as caught:
        gate(0.918, 0.9159, max_drop=0.2)

    assert str(caught.value) == (
        "accuracy on dev fell from 91.80 % to 91.59 %, by 0.21 points where 0.20 are allowed; "
        "nothing was written. Allow more with --max-drop, or write it all the same with --force"
    )
    assert caught.value.exit_code == 7
