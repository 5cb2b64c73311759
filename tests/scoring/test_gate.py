import pytest

from models.errors import GateFailed
from scoring.gate import gate


@pytest.mark.parametrize("after", [0.918, 0.916, 0.95])
def test_a_model_within_the_limit_passes(after: float):
    gate(0.918, after, max_drop=0.2)


def test_a_model_that_lost_more_does_not_and_the_message_says_how_to_go_on():
    with pytest.raises(GateFailed) as caught:
        gate(0.918, 0.9159, max_drop=0.2)

    assert str(caught.value) == (
        "accuracy on dev fell from 91.80 % to 91.59 %, by 0.21 points where 0.20 are allowed; "
        "nothing was written. Allow more with --max-drop, or write it all the same with --force"
    )
    assert caught.value.exit_code == 7
