import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from training.kernels import TitleKernels

X = torch.ones(100, 100)


def test_a_models_dropout_is_ours_within_the_block_and_torchs_after_it():
    layer = nn.Dropout(0.25)
    with TitleKernels():
        inside = layer(X.requires_grad_())
    after = layer(X)

    assert inside.grad_fn.name() == "_DropoutBackward"
    assert (inside == 0).float().mean().item() == pytest.approx(0.25, abs=0.03)
    assert after.grad_fn.name() != "_DropoutBackward"


def test_what_dropout_is_not_made_for_is_torchs():
    with TitleKernels():
        assert torch.equal(F.dropout(X, 0.5, training=False), X)
        assert torch.equal(F.dropout(X, 0.0), X)
        assert torch.equal(F.dropout(X, 1.0), torch.zeros_like(X))
        x = X.clone()
        assert F.dropout(x, 0.5, inplace=True) is x


@pytest.mark.parametrize(
    ("mask", "options", "ours"),
    [
        (None, {}, True),
        (torch.ones(2, 1, 4, 4, dtype=torch.bool).tril(), {}, True),
        (torch.zeros(4, 4).masked_fill(torch.ones(4, 4).triu(1).bool(), float("-inf")), {}, True),
        (torch.zeros(2, 1, 4, 4, dtype=torch.bool), {}, False),  # no key to be seen
        (None, {"is_causal": True}, False),
        (None, {"scale": 0.1}, False),
        (None, {"scale": 8**-0.5, "is_causal": False}, True),
    ],
)
def test_attention_is_as_torchs_whoever_computes_it(
    mask: torch.Tensor | None, options: dict, ours: bool
):
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 3, 4, 8, requires_grad=True) for _ in range(3))

    with TitleKernels():
        found = F.scaled_dot_product_attention(query, key, value, mask, **options)
    expected = F.scaled_dot_product_attention(query, key, value, mask, **options)

    assert (found.grad_fn.name() == "_TitleAttentionBackward") == ours
    assert torch.allclose(found, expected, atol=1e-6)


def test_a_whole_layer_has_the_same_gradients():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    other, x = copy.deepcopy(layer), torch.randn(2, 5, 16)

    with TitleKernels():
        layer(x).square().sum().backward()
    other(x).square().sum().backward()

    for ours, theirs in zip(layer.parameters(), other.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-4)
