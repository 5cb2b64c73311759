import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from training.title_attention import title_attention

B, H, D = 3, 2, 8


def inputs(queries: int = 5, keys: int = 5) -> list[Tensor]:
    torch.manual_seed(0)
    sizes = (queries, keys, keys)
    return [torch.randn(B, n, H, D).transpose(1, 2).requires_grad_() for n in sizes]


def gradients(output: Tensor, tensors: list[Tensor]) -> list[Tensor]:
    torch.manual_seed(1)
    return list(torch.autograd.grad(output, tensors, torch.randn(output.shape)))


@pytest.mark.parametrize("queries", [5, 1])
@pytest.mark.parametrize("masked", [False, True])
def test_output_and_gradients_are_torchs(queries: int, masked: bool):
    tensors = inputs(queries)
    visible = torch.ones(B, 1, 1, 5, dtype=torch.bool)
    visible[1, ..., 3:] = not masked
    bias = torch.zeros(visible.shape).masked_fill(~visible, float("-inf")) if masked else None

    found = title_attention(*tensors, bias, None, 0.0)
    expected = F.scaled_dot_product_attention(*tensors, visible)

    assert torch.allclose(found, expected, atol=1e-6)
    for ours, theirs in zip(gradients(found, tensors), gradients(expected, tensors), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_dropped_weights_are_zero_and_the_rest_is_scaled():
    tensors = inputs()
    keep = (torch.rand(B, H, 5, 5) < 0.7).to(torch.int8)

    found = title_attention(*tensors, None, keep, 0.3)
    query, key, value = tensors
    weights = (query @ key.transpose(2, 3) / D**0.5).softmax(dim=-1)
    expected = weights * keep / 0.7 @ value

    assert torch.allclose(found, expected, atol=1e-6)
    for ours, theirs in zip(gradients(found, tensors), gradients(expected, tensors), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_bf16_comes_and_goes_and_is_computed_in_fp32():
    tensors = inputs()
    rounded = [tensor.detach().bfloat16().requires_grad_() for tensor in tensors]

    found = title_attention(*rounded, None, None, 0.0)
    exact = title_attention(*(tensor.float() for tensor in rounded), None, None, 0.0)

    assert found.dtype == torch.bfloat16
    assert torch.equal(found, exact.bfloat16())
    assert {gradient.dtype for gradient in gradients(found, rounded)} == {torch.bfloat16}


def test_joining_the_heads_copies_nothing():
    assert title_attention(*inputs(), None, None, 0.0).transpose(1, 2).is_contiguous()
