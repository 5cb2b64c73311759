import pytest
import torch

from models.transformer.study.warm_up import WARM_UP_STEPS, gradients_by_layer, losses


def test_gradients_grow_towards_the_top_of_post_ln_and_not_of_pre_ln():
    post, pre = (gradients_by_layer(norm_first, draws=2) for norm_first in (False, True))

    assert len(post) == 12
    assert sum(post[-3:]) > 1.3 * sum(post[:3])
    assert sum(pre[-3:]) < sum(pre[:3])
    assert sum(post[-3:]) > 2 * sum(pre[-3:])


@pytest.mark.slow
def test_post_ln_learns_with_a_warm_up_alone_and_pre_ln_without():
    def last(norm_first: bool, warm_up_steps: int) -> float:
        return sum(losses(norm_first, warm_up_steps)[-10:]) / 10

    assert last(norm_first=False, warm_up_steps=0) > 2.7  # ln 16 = 2.77: nothing learned
    assert last(norm_first=False, warm_up_steps=WARM_UP_STEPS) < 0.3
    assert last(norm_first=True, warm_up_steps=0) < 0.1


def test_the_callers_random_numbers_stay_as_they_are():
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)

    losses(True, 0, steps=1, num_layers=1)
    gradients_by_layer(True, num_layers=1, draws=1)

    assert torch.equal(torch.rand(3), expected)
