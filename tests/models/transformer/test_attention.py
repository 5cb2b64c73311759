import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from models.errors import ShapeError
from models.transformer.attention import (
    MultiHeadAttention,
    scaled_dot_product_attention,
    softmax_of_visible,
)
from models.transformer.masks import causal_mask, over_keys, over_pairs, padding_mask
from models.transformer.positions import RotaryPositions
from models.transformer.study.cost import parameters

from .references import assert_close, scatter

THREE_TOKENS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def test_the_worked_example_of_the_notes():
    output, weights = scaled_dot_product_attention(THREE_TOKENS, THREE_TOKENS, THREE_TOKENS)

    expected_weights = [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.5035]]
    expected_output = [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]]
    torch.testing.assert_close(weights, torch.tensor(expected_weights), atol=5e-4, rtol=0)
    torch.testing.assert_close(output, torch.tensor(expected_output), atol=5e-4, rtol=0)


def test_a_hidden_score_gets_no_weight_as_the_notes_softmax_with_minus_a_billion():
    scores = torch.tensor([[2.0, 5.0, 1.0]])

    weights = softmax_of_visible(scores, torch.tensor([[False, True, False]]))

    assert weights[0].tolist() == pytest.approx([0.731, 0.0, 0.269], abs=5e-4)
    assert weights[0, 1].item() == 0.0
    assert_close(weights, torch.tensor([[2.0, -1e9, 1.0]]).softmax(-1))


def test_no_score_is_low_enough_to_lose_its_weight_to_a_hidden_one():
    scores = torch.tensor([[-3000.0, 5.0, -3001.0]])

    weights = softmax_of_visible(scores, torch.tensor([[False, True, False]]))

    assert weights[0].tolist() == pytest.approx([0.731, 0.0, 0.269], abs=5e-4)


def test_scores_are_scaled_by_the_heads_size_not_the_models():
    attention = MultiHeadAttention(64, 4).eval()
    x = torch.randn(2, 5, 64)

    _, weights = attention(x, x, x, need_weights=True)

    query, key, _ = attention.in_projection(x).chunk(3, dim=-1)  # (2, 5, 64) each
    first_head = (query[..., :16] @ key[..., :16].transpose(1, 2) / 16**0.5).softmax(-1)
    assert_close(weights[:, 0], first_head)


def test_shapes_of_one_head_and_of_eight():
    x = torch.randn(4, 10, 512)

    output, weights = scaled_dot_product_attention(x, x, x, causal_mask(10).unsqueeze(0))
    assert (output.shape, weights.shape) == ((4, 10, 512), (4, 10, 10))

    output, weights = MultiHeadAttention(512, 8)(x, x, x, need_weights=True)
    assert (output.shape, weights.shape) == ((4, 10, 512), (4, 8, 10, 10))


def test_the_4d_mask_of_the_notes_on_3d_scores_names_both_shapes():
    x = torch.randn(4, 10, 16)

    for need_weights in (True, False):
        with pytest.raises(ShapeError, match=r"mask \(1, 1, 10, 10\).*the scores \(4, 10, 10\)"):
            scaled_dot_product_attention(
                x, x, x, over_pairs(causal_mask(10)), need_weights=need_weights
            )


@settings(deadline=None, max_examples=40)
@given(
    sizes=st.tuples(*[st.integers(1, 5)] * 5),
    mask_is_full=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    share=st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    seed=st.integers(0, 2**20),
)
def test_the_fused_kernel_equals_the_equation_gradients_and_hidden_rows_included(
    sizes: tuple[int, ...], mask_is_full: tuple[bool, ...], share: float, seed: int
):
    torch.manual_seed(seed)
    batch, heads, query_len, key_len, head_dim = sizes
    query = torch.randn(batch, heads, query_len, head_dim, requires_grad=True)
    key, value = (torch.randn(batch, heads, key_len, head_dim, requires_grad=True) for _ in "kv")
    leading = zip((batch, heads, query_len), mask_is_full, strict=True)
    mask = torch.rand(*(n if full else 1 for n, full in leading), key_len) < share

    results = []
    for need_weights in (True, False):
        output, _ = scaled_dot_product_attention(query, key, value, mask, need_weights=need_weights)
        results.append((output, *torch.autograd.grad(output.square().sum(), (query, key, value))))

    for by_steps, fused in zip(*results, strict=True):
        assert by_steps.isfinite().all()
        assert_close(fused, by_steps)


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_query_that_may_see_nothing_gets_zeros_and_finite_gradients(need_weights: bool):
    x = torch.randn(2, 3, 4, 8, requires_grad=True)
    mask = over_keys(padding_mask(torch.tensor([0, 2]), 4))

    output, weights = scaled_dot_product_attention(x, x, x, mask, need_weights=need_weights)
    output.sum().backward()

    assert output[0].eq(0).all()
    assert output[1].ne(0).all()
    assert weights is None or weights[0].eq(0).all()
    assert x.grad.isfinite().all()
    assert x.grad[0].eq(0).all()


def test_weights_of_every_query_sum_to_one_over_what_it_sees():
    x = torch.randn(2, 2, 5, 8)

    _, weights = scaled_dot_product_attention(x, x, x, over_pairs(causal_mask(5)))

    assert_close(weights.sum(-1), torch.ones(2, 2, 5))
    assert weights.triu(1).eq(0).all()


def test_hidden_scores_vanish_in_half_precision_too():
    scores = torch.tensor([[2.0, 5.0, 1.0]], dtype=torch.float16)  # holds no -1e9

    weights = softmax_of_visible(scores, torch.tensor([[False, True, False]]))

    assert weights[0].tolist() == pytest.approx([0.731, 0.0, 0.269], abs=1e-3)


@pytest.mark.parametrize("num_heads", [1, 8, 64])
def test_heads_do_not_change_the_1050624_parameters(num_heads: int):
    assert parameters(MultiHeadAttention(512, num_heads)) == 1_050_624


def test_a_model_that_cannot_be_cut_into_equal_heads_is_refused():
    with pytest.raises(ShapeError, match="d_model 10 cannot be cut into 4 equal heads"):
        MultiHeadAttention(10, 4)


def test_a_heads_size_may_be_set_apart_from_the_models():
    attention = MultiHeadAttention(10, 4, head_dim=6)
    x = torch.randn(2, 3, 10)

    output, weights = attention(x, x, x, need_weights=True)

    assert (output.shape, weights.shape) == ((2, 3, 10), (2, 4, 3, 3))
    assert attention.in_projection.weight.shape == (3 * 4 * 6, 10)


@pytest.mark.parametrize("is_self_attention", [True, False])
def test_equals_torchs_multihead_attention(is_self_attention: bool):
    torch.manual_seed(0)
    theirs = scatter(nn.MultiheadAttention(24, 3, batch_first=True)).eval()
    ours = MultiHeadAttention(24, 3).eval()
    ours.load_state_dict(
        {
            "in_projection.weight": theirs.in_proj_weight,
            "in_projection.bias": theirs.in_proj_bias,
            "out_projection.weight": theirs.out_proj.weight,
            "out_projection.bias": theirs.out_proj.bias,
        }
    )
    query = torch.randn(2, 4, 24)
    key, value = (query, query) if is_self_attention else torch.randn(2, 2, 5, 24)
    padding = padding_mask(torch.tensor([4, 2]), key.size(1))

    output, weights = ours(query, key, value, over_keys(padding), need_weights=True)
    fast, _ = ours(query, key, value, over_keys(padding))
    expected, expected_weights = theirs(
        query, key, value, key_padding_mask=padding, average_attn_weights=False
    )

    assert_close(output, expected)
    assert_close(fast, expected)
    assert_close(weights, expected_weights)


def test_dropout_acts_in_training_alone():
    attention = MultiHeadAttention(16, 2, dropout=0.5)
    x = torch.randn(2, 6, 16)

    torch.manual_seed(0)
    first, second = attention(x, x, x)[0], attention(x, x, x)[0]
    assert not torch.equal(first, second)

    attention.eval()
    assert torch.equal(attention(x, x, x)[0], attention(x, x, x)[0])


def test_rotary_attention_does_not_know_where_the_sequence_starts():
    attention = MultiHeadAttention(16, 2, rotary=RotaryPositions(8)).eval()
    x = torch.randn(1, 4, 16)
    first, _ = attention(x, x, x)
    attention.rotary.forward = lambda x, offset=0: RotaryPositions.forward(
        attention.rotary, x, offset + 7
    )

    assert_close(attention(x, x, x)[0], first)
    assert not torch.allclose(first, attention(x.flip(1), x.flip(1), x.flip(1))[0].flip(1))
