import pytest
import torch
from torch import Tensor

from models.transformer.sublayer import SublayerConnection

from .references import assert_close


def _triple(x: Tensor) -> Tensor:
    return 3 * x


def test_pre_ln_norms_what_goes_into_the_sublayer():
    connection, x = SublayerConnection(8, 0.0, norm_first=True), torch.randn(2, 3, 8)

    assert_close(connection(x, _triple), x + 3 * connection.norm(x))


def test_post_ln_norms_the_sum():
    connection, x = SublayerConnection(8, 0.0, norm_first=False), torch.randn(2, 3, 8)

    assert_close(connection(x, _triple), connection.norm(x + 3 * x))


def test_only_pre_ln_leaves_the_residual_path_untouched():
    x = torch.randn(2, 3, 8) * 5

    pre, post = (SublayerConnection(8, 0.0, norm_first) for norm_first in (True, False))

    assert torch.equal(pre(x, torch.zeros_like), x)
    assert not torch.allclose(post(x, torch.zeros_like), x)


@pytest.mark.parametrize("norm_first", [True, False])
def test_dropout_acts_on_the_sublayers_output_not_on_the_residual(norm_first: bool):
    connection = SublayerConnection(8, 0.999999, norm_first)  # drops all
    x = torch.randn(2, 3, 8)

    expected = x if norm_first else connection.norm(x)

    assert torch.equal(connection(x, _triple), expected)
