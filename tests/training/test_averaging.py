import pytest
import torch
from torch import nn

from training.averaging import WeightAverage


def test_the_average_by_hand():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = WeightAverage(model, decay=0.9)

    model.weight.data.fill_(11.0)
    average.update(step=1)  # d = min(0.9, 2 / 11): 0 + 9 / 11 · 11
    model.weight.data.fill_(0.0)
    average.update(step=10_000)  # d = 0.9

    assert average.state["weight"].item() == pytest.approx(9.0 * 0.9)


def test_applied_swaps_the_average_in_and_the_weights_back():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1.0)
    average = WeightAverage(model, decay=0.5)
    model.weight.data.fill_(3.0)

    with average.applied():
        assert model.weight.item() == 1.0
    assert model.weight.item() == 3.0

    average.keep()
    assert model.weight.item() == 1.0


def test_without_decay_nothing_is_kept():
    model = nn.Linear(1, 1)
    average = WeightAverage(model, decay=0.0)
    average.update(1)

    with average.applied():
        pass
    average.keep()

    assert average.state == {}
    assert torch.isfinite(model.weight).all()
