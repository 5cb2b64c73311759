import pytest
import torch
from torch import nn

from models.transformer.layer_norm import LayerNorm
from models.transformer.study.norms import moved_by_companions


@pytest.mark.parametrize("tokens", [2, 64])
def test_layer_norm_gives_a_token_the_same_vector_in_every_batch(tokens: int):
    assert moved_by_companions("LayerNorm", tokens) == 0.0


def test_batch_norm_moves_a_token_with_its_batch_and_less_the_larger_it_is():
    two, eight, many = (moved_by_companions("BatchNorm", tokens) for tokens in (2, 8, 128))

    assert two > 1  # as far as a feature's standard deviation
    assert two > eight > many > 0.1
    assert eight / many == pytest.approx((128 / 8) ** 0.5, rel=0.15)  # 1 / √tokens


def test_batch_norm_gives_another_vector_in_evaluation_and_layer_norm_does_not():
    torch.manual_seed(0)
    x = 3 * torch.randn(16, 8) + 5

    for norm, is_same in ((LayerNorm(8), True), (nn.BatchNorm1d(8), False)):
        in_training = norm.train()(x)
        assert torch.allclose(norm.eval()(x), in_training) is is_same


def test_padding_in_the_batch_moves_what_batch_norm_makes_of_real_tokens():
    torch.manual_seed(0)
    x = torch.randn(6, 8)
    padded = torch.cat((x, torch.zeros(6, 8)))

    assert torch.equal(LayerNorm(8)(padded)[:6], LayerNorm(8)(x))
    assert not torch.allclose(nn.BatchNorm1d(8)(padded)[:6], nn.BatchNorm1d(8)(x), atol=0.1)


def test_batch_norm_refuses_a_batch_of_one_title():
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        nn.BatchNorm1d(8)(torch.randn(1, 8))

    assert LayerNorm(8)(torch.randn(1, 8)).isfinite().all()
