import pytest
import torch
from torch import nn

from models.errors import UsageError
from models.transformer.low_rank import (
    factorize,
    find_linear,
    is_factorized,
    is_smaller,
    multiply_out,
    two_layers,
)


@pytest.mark.parametrize("shape", [(6, 9), (9, 6), (7, 7)])
def test_at_full_rank_the_product_is_the_layer(shape: tuple[int, int]):
    torch.manual_seed(0)
    linear = nn.Linear(*shape)

    product = multiply_out(factorize(linear, min(shape)))

    torch.testing.assert_close(product.weight, linear.weight)
    torch.testing.assert_close(product.bias, linear.bias)


def test_of_a_lower_rank_it_is_the_closest_product():
    """By hand: of diag(5, 3, 1), rank 2 keeps 5 and 3, each shared evenly between the two."""
    linear = nn.Linear(3, 3)
    linear.weight.data = torch.diag(torch.tensor([5.0, 3.0, 1.0]))

    pair = factorize(linear, 2)

    expected = torch.diag(torch.tensor([5.0, 3.0, 0.0]))
    torch.testing.assert_close(multiply_out(pair).weight, expected)
    assert pair[0].weight.abs().amax(dim=1).tolist() == pytest.approx([5**0.5, 3**0.5])
    assert torch.equal(pair[1].bias, linear.bias)
    assert is_factorized(pair)
    assert not is_factorized(linear)


def test_two_layers_pay_below_half_the_size_of_a_square_one():
    assert is_smaller(8, 8, 3)
    assert not is_smaller(8, 8, 4)  # 4 · 16 = 64 weights either way


@pytest.mark.parametrize("rank", [0, 5])
def test_a_rank_that_the_layer_does_not_have_is_refused(rank: int):
    with pytest.raises(UsageError, match=f"has ranks 1 to 4, not {rank}"):
        two_layers(nn.Linear(4, 9), rank)


def test_only_linear_layers_are_found():
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())

    assert find_linear(model, "0") is model[0]
    for name in ("1", "2"):
        with pytest.raises(UsageError, match=f"'{name}' is not a linear layer of the model"):
            find_linear(model, name)
