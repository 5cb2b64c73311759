import pytest
import torch
from torch import nn

from training.averaging import WeightAverage


def test_the_average_by_hand():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = WeightAverage(model, decay=0.9)

    model.weight.data.fill_(11.0)
    average.update(model, step=1)  # d = min(0.9, 2 / 11): 0 + 9 / 11 · 11
    assert average.model.weight.item() == pytest.approx(9.0)
    model.weight.data.fill_(0.0)
    average.update(model, step=2)  # d = min(0.9, 3 / 12)
    assert average.model.weight.item() == pytest.approx(9.0 * 3 / 12)
    average.step = 10_000
    average.update(model, step=10_001)  # d = 0.9
    assert average.model.weight.item() == pytest.approx(9.0 * 3 / 12 * 0.9)


def test_ten_steps_at_once_weigh_as_ten():
    model = nn.Linear(1, 1, bias=False)
    each, once = WeightAverage(model, decay=0.9), WeightAverage(model, decay=0.9)
    each.step = once.step = 10_000
    model.weight.data.fill_(5.0)

    for step in range(10_001, 10_011):
        each.update(model, step)
    once.update(model, 10_010)

    assert once.model.weight.item() == pytest.approx(each.model.weight.item())


def test_a_step_is_taken_in_once():
    model = nn.Linear(3, 2)
    average = WeightAverage(model, decay=0.5)
    model.weight.data.add_(1.0)
    average.update(model, step=4)
    before = average.model.weight.clone()

    average.update(model, step=4)

    assert torch.equal(average.model.weight, before)


def test_the_model_itself_stays_as_it_is():
    model = nn.Linear(3, 2)
    before = model.weight.clone()
    average = WeightAverage(model, decay=0.5)

    average.update(model, step=1)

    assert torch.equal(model.weight, before)
    assert average.model.weight is not model.weight
    assert torch.equal(average.model.weight, before)
    assert model.weight.requires_grad
