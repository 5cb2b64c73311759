import pytest
import torch
from hypothesis import given, settings
from torch import nn

from models.errors import ShapeError
from models.transformer.embedding import PositionedEmbedding, TokenEmbedding
from models.transformer.encoder import Encoder, EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.positions import NoPositions
from models.transformer.study.cost import parameters
from models.transformer.study.torch_weights import from_torch

from .references import (
    Shape,
    assert_close,
    assert_same_gradients,
    gradients,
    our_encoder,
    shapes,
    torch_encoder,
)

SMALL = LayerConfig(16, 4, 32)


def _blind_to_order() -> Encoder:
    embedding = PositionedEmbedding(TokenEmbedding(50, 16), NoPositions())
    return Encoder([SMALL] * 2, embedding=embedding).eval()


@settings(deadline=None, max_examples=25)
@given(shape=shapes)
def test_equals_torchs_encoder_under_random_padding_gradients_included(shape: Shape):
    torch.manual_seed(shape.seed)
    theirs = torch_encoder(shape)
    ours = our_encoder(shape, theirs)
    x, padding = shape.vectors(shape.source), shape.padding(shape.source)
    upstream = torch.randn(shape.batch, shape.source, shape.config.d_model)

    found, expected = ours(x, padding), theirs(x, src_key_padding_mask=padding)
    assert_close(found, expected)

    (found * upstream).sum().backward()
    found_x_grad, x.grad = x.grad, None
    (expected * upstream).sum().backward()
    torch.testing.assert_close(found_x_grad, x.grad, atol=1e-5, rtol=1e-4)
    assert_same_gradients(ours, from_torch(gradients(theirs)))


def test_a_final_norm_is_there_for_pre_ln_and_wherever_it_is_asked_for():
    post_ln = LayerConfig(16, 4, 32, norm_first=False)

    assert parameters(Encoder([SMALL])) == parameters(Encoder([SMALL], final_norm=False)) + 32
    assert parameters(Encoder([post_ln])) == parameters(Encoder([post_ln], final_norm=False))
    assert parameters(Encoder([post_ln], final_norm=True)) == parameters(Encoder([post_ln])) + 32


def test_the_final_norm_is_torchs():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, 32, 0.0, batch_first=True, norm_first=True)
    theirs = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False)
    ours = Encoder([LayerConfig(16, 4, 32, dropout=0.0)] * 2)
    ours.load_state_dict(from_torch(theirs.state_dict()))
    x = torch.randn(2, 5, 16)

    assert_close(ours(x), theirs(x))


def test_a_layer_of_64_by_4_by_128_has_33472_parameters_and_two_have_66944():
    layer = LayerConfig(64, 4, 128)

    assert parameters(EncoderLayer(layer)) == 33_472
    assert parameters(Encoder([layer] * 2, final_norm=False)) == 66_944


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((64, 4, 256), 99_968), ((128, 8, 512), 396_544), ((256, 8, 1024), 1_579_520)],
)
def test_twice_the_width_has_four_times_the_parameters(sizes: tuple[int, int, int], expected: int):
    assert parameters(Encoder([LayerConfig(*sizes)] * 2, final_norm=False)) == expected


@pytest.mark.parametrize("num_heads", [1, 2, 16])
def test_heads_do_not_change_the_parameter_count(num_heads: int):
    assert parameters(EncoderLayer(LayerConfig(16, num_heads, 32))) == parameters(
        EncoderLayer(SMALL)
    )


def test_the_shape_stays_the_same_through_all_layers():
    encoder = Encoder([LayerConfig()], embedding=TokenEmbedding(1000, 512))

    assert encoder(torch.randint(1000, (4, 10))).shape == (4, 10, 512)


def test_without_positions_permuting_the_tokens_permutes_the_outputs():
    encoder, ids = _blind_to_order(), torch.tensor([[7, 3, 9, 20, 41]])
    order = torch.tensor([3, 0, 4, 1, 2])

    assert_close(encoder(ids[:, order]), encoder(ids)[:, order])


def test_what_stands_at_hidden_positions_changes_nothing():
    encoder = _blind_to_order()
    padding = torch.tensor([[False, False, True, True]])

    first = encoder(torch.tensor([[7, 3, 9, 20]]), padding)
    second = encoder(torch.tensor([[7, 3, 41, 0]]), padding)

    assert torch.equal(first[:, :2], second[:, :2])
    assert not torch.allclose(first[:, :2], encoder(torch.tensor([[7, 3, 41, 0]]))[:, :2])


def test_a_mask_hides_padding_from_every_head_of_every_layer():
    trace = _blind_to_order().trace(
        torch.tensor([[7, 3, 9, 20]]), torch.tensor([[False, False, True, True]])
    )

    for weights in trace.attention_weights:
        assert weights.shape == (1, 4, 4, 4)
        assert weights[..., 2:].eq(0).all()
        assert_close(weights.sum(-1), torch.ones(1, 4, 4))


def test_a_row_that_is_all_padding_stays_finite_and_so_do_its_gradients():
    encoder, x = Encoder([SMALL] * 2), torch.randn(2, 3, 16, requires_grad=True)

    encoder(x, torch.tensor([[False, False, True], [True, True, True]])).sum().backward()

    assert x.grad.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())


def test_a_trace_ends_with_what_forward_returns():
    encoder, ids = _blind_to_order(), torch.tensor([[7, 3, 9]])

    trace = encoder.trace(ids)

    assert len(trace.hidden_states) == 3
    assert_close(encoder.final_norm(trace.hidden_states[-1]), encoder(ids))


def test_a_mask_of_another_shape_is_refused_naming_both():
    with pytest.raises(ShapeError) as caught:
        Encoder([SMALL])(torch.randn(2, 5, 16), torch.zeros(2, 4, dtype=torch.bool))

    assert str(caught.value) == (
        "padding mask (2, 4) does not fit the source (2, 5, 16); expected (2, 5)"
    )


def test_layers_may_differ_in_heads_and_width():
    encoder = Encoder([LayerConfig(16, 4, 32), LayerConfig(16, 3, 10, head_dim=4)])

    assert encoder(torch.randn(2, 5, 16)).shape == (2, 5, 16)
    assert [config.d_ff for config in encoder.configs] == [32, 10]


def test_rotary_layers_tell_the_order_without_a_position_table():
    encoder = Encoder([LayerConfig(16, 4, 32, rotary=True)]).eval()
    x = torch.randn(1, 4, 16)

    assert not torch.allclose(encoder(x).flip(1), encoder(x.flip(1)), atol=1e-3)


@pytest.mark.slow
def test_exports_with_any_batch_and_length():
    encoder = Encoder([SMALL] * 2, embedding=TokenEmbedding(50, 16)).eval()
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    sizes = {0: batch, 1: length}
    example = (torch.randint(50, (2, 7)), torch.zeros(2, 7, dtype=torch.bool))

    exported = torch.export.export(encoder, example, dynamic_shapes=(sizes, sizes)).module()

    ids, padding = torch.randint(50, (3, 4)), torch.tensor([[False, False, False, True]] * 3)
    assert_close(exported(ids, padding), encoder(ids, padding))
