import torch
from torch import nn

from models.transformer.layer_norm import LayerNorm, layer_norm

from .references import assert_close


def _scattered(size: int) -> tuple[LayerNorm, nn.LayerNorm]:
    ours, theirs = LayerNorm(size, eps=1e-3), nn.LayerNorm(size, eps=1e-3)
    with torch.no_grad():
        ours.gamma.copy_(theirs.weight.normal_())
        ours.beta.copy_(theirs.bias.normal_())
    return ours, theirs


def test_equals_torchs_layer_norm_gradients_included():
    torch.manual_seed(0)
    ours, theirs = _scattered(7)
    x = torch.randn(2, 3, 7, requires_grad=True)

    found, expected = ours(x), theirs(x)
    grads = torch.autograd.grad(found.square().sum(), (x, ours.gamma, ours.beta))
    expected_grads = torch.autograd.grad(expected.square().sum(), (x, theirs.weight, theirs.bias))

    assert_close(found, expected)
    for grad, expected_grad in zip(grads, expected_grads, strict=True):
        assert_close(grad, expected_grad)


def test_the_fused_kernel_equals_the_equation_gradients_included():
    torch.manual_seed(0)
    gamma, beta = torch.randn(2, 7, requires_grad=True)
    x = torch.randn(2, 3, 7, requires_grad=True)

    results = []
    for fused in (True, False):
        y = layer_norm(x, gamma, beta, 1e-5, fused)
        results.append((y, *torch.autograd.grad(y.square().sum(), (x, gamma, beta))))

    for fused, by_steps in zip(*results, strict=True):
        assert_close(fused, by_steps)


def test_the_variance_is_the_biased_one_and_not_torch_stds():
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0]])

    y = layer_norm(x, torch.ones(4), torch.zeros(4), eps=0.0)

    biased = (x - 3) / (14 / 4) ** 0.5  # Σ(x − μ)² = 14
    assert_close(y, biased)
    assert not torch.allclose(y, (x - 3) / x.std(-1, keepdim=True), atol=0.1)


def test_the_last_dimension_is_normalised_and_no_other():
    x = torch.randn(4, 5, 32) * 3 + 2

    y = LayerNorm(32)(x)

    assert_close(y.mean(-1), torch.zeros(4, 5))
    torch.testing.assert_close(y.var(-1, correction=0), torch.ones(4, 5), atol=1e-3, rtol=0)
    assert not torch.allclose(y.mean((0, 1)), torch.zeros(32), atol=0.05)


def test_a_norm_of_512_has_1024_parameters():
    assert sum(parameter.numel() for parameter in LayerNorm(512).parameters()) == 1024


def test_equal_features_stay_finite():
    assert LayerNorm(8)(torch.full((1, 1, 8), 3.0)).eq(0).all()
