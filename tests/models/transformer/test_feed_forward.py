import pytest
import torch
from torch import nn

from models.errors import UsageError
from models.transformer.feed_forward import FeedForward
from models.transformer.study.cost import parameters

from .references import assert_close


@pytest.mark.parametrize(
    ("activation", "reference"),
    [("relu", nn.ReLU()), ("gelu", nn.GELU()), ("gelu_tanh", nn.GELU("tanh"))],
)
def test_widens_bends_and_narrows(activation: str, reference: nn.Module):
    network = FeedForward(4, 9, activation=activation).eval()
    x = torch.randn(2, 3, 4)

    inner = reference(x @ network.widen.weight.T + network.widen.bias)
    expected = inner @ network.narrow.weight.T + network.narrow.bias

    assert_close(network(x), expected)


def test_positions_exchange_nothing():
    network, x = FeedForward(4, 9).eval(), torch.randn(1, 6, 4)

    at_once, one_by_one = network(x), torch.cat([network(t) for t in x.split(1, 1)], 1)

    assert_close(at_once, one_by_one)


def test_the_base_model_has_twice_as_many_parameters_here_as_in_attention():
    assert parameters(FeedForward(512, 2048)) == 512 * 2048 + 2048 + 2048 * 512 + 512 == 2_099_712


def test_dropout_acts_on_the_inner_values():
    network = FeedForward(4, 1000, dropout=0.25)
    with torch.no_grad():
        network.widen.bias.fill_(1.0)
        network.widen.weight.zero_()
        network.narrow.weight.fill_(1.0)

    torch.manual_seed(0)
    summed = network(torch.zeros(1, 1, 4))[0, 0, 0].item()  # Σ of 1000 values, each 0 or 4/3

    assert summed == pytest.approx(1000, abs=60)
    assert summed != pytest.approx(1000, abs=1e-3)


def test_an_unknown_activation_is_refused():
    with pytest.raises(UsageError) as caught:
        FeedForward(4, 8, activation="swish")

    assert str(caught.value) == (
        "unknown activation 'swish'; expected one of: relu, gelu, gelu_tanh"
    )
