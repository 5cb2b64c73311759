import pytest
import torch
from torch import nn

from training.averaging import weight_average


def test_the_average_by_hand():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = weight_average(model, decay=0.9)

    model.weight.data.fill_(11.0)
    average.update_parameters(model)  # d = min(0.9, 2 / 11): 0 + 9 / 11 · 11
    assert average.module.weight.item() == pytest.approx(9.0)
    model.weight.data.fill_(0.0)
    average.update_parameters(model)  # d = min(0.9, 3 / 12)
    assert average.module.weight.item() == pytest.approx(9.0 * 3 / 12)
    average.n_averaged.fill_(10_000)
    average.update_parameters(model)  # d = 0.9
    assert average.module.weight.item() == pytest.approx(9.0 * 3 / 12 * 0.9)


def test_the_model_itself_stays_as_it_is():
    model = nn.Linear(3, 2)
    before = model.weight.clone()
    average = weight_average(model, decay=0.5)

    average.update_parameters(model)

    assert torch.equal(model.weight, before)
    assert average.module.weight is not model.weight
    assert torch.equal(average.module.weight, before)
