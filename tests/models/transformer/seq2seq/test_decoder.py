import pytest
import torch
from hypothesis import given, settings

from models.errors import ShapeError
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import causal_mask
from models.transformer.seq2seq.decoder import Decoder
from models.transformer.seq2seq.key_value_cache import DecoderCache
from models.transformer.study.torch_weights import from_torch

from ..references import (
    Shape,
    assert_close,
    assert_same_gradients,
    gradients,
    in_float64,
    our_decoder,
    shapes,
    torch_decoder,
)

SMALL = LayerConfig(16, 4, 32)


@settings(deadline=None, max_examples=25)
@given(shape=shapes)
@in_float64()
def test_equals_torchs_decoder_under_its_three_masks_gradients_included(shape: Shape):
    torch.manual_seed(shape.seed)
    theirs = torch_decoder(shape)
    ours = our_decoder(shape, theirs)
    target, memory = shape.vectors(shape.target), shape.vectors(shape.source)
    target_padding, source_padding = shape.padding(shape.target), shape.padding(shape.source)
    upstream = torch.randn(shape.batch, shape.target, shape.config.d_model)

    found = ours(target, memory, target_padding, source_padding)
    expected = theirs(
        target,
        memory,
        tgt_mask=causal_mask(shape.target),
        tgt_key_padding_mask=target_padding,
        memory_key_padding_mask=source_padding,
    )
    assert_close(found, expected)

    found_grads = torch.autograd.grad(
        (found * upstream).sum(), (target, memory, *ours.parameters())
    )
    (expected * upstream).sum().backward()
    for grad, expected_grad in zip(found_grads, (target.grad, memory.grad), strict=False):
        torch.testing.assert_close(grad, expected_grad, atol=1e-5, rtol=1e-4)
    for parameter, grad in zip(ours.parameters(), found_grads[2:], strict=True):
        parameter.grad = grad
    assert_same_gradients(ours, from_torch(gradients(theirs)))


def test_the_shape_of_the_target_is_kept():
    decoder = Decoder([LayerConfig()])

    assert decoder(torch.randn(4, 20, 512), torch.randn(4, 10, 512)).shape == (4, 20, 512)


def test_changing_the_future_changes_nothing_in_the_past():
    decoder = Decoder([SMALL] * 2).eval()
    memory, target = torch.randn(1, 5, 16), torch.randn(1, 6, 16)
    other = target.clone()
    other[:, 4:] = torch.randn(1, 2, 16)

    first, second = decoder(target, memory), decoder(other, memory)

    assert torch.equal(first[:, :4], second[:, :4])
    assert not torch.allclose(first[:, 4:], second[:, 4:])


def test_hidden_source_positions_change_nothing():
    decoder = Decoder([SMALL] * 2).eval()
    target, memory = torch.randn(1, 3, 16), torch.randn(1, 4, 16)
    padding = torch.tensor([[False, False, True, True]])
    other = memory.clone()
    other[:, 2:] = 99.0

    first = decoder(target, memory, source_padding_mask=padding)

    assert torch.equal(first, decoder(target, other, source_padding_mask=padding))
    assert not torch.allclose(first, decoder(target, other))


def test_cross_attention_weights_are_of_target_by_source_and_skip_the_padding():
    decoder = Decoder([SMALL] * 2).eval()
    padding = torch.tensor([[False, False, False, True]])

    layers = decoder.cross_attention_weights(
        torch.randn(1, 3, 16), torch.randn(1, 4, 16), source_padding_mask=padding
    )

    assert [weights.shape for weights in layers] == [(1, 4, 3, 4)] * 2
    for weights in layers:
        assert weights[..., 3].eq(0).all()
        assert_close(weights.sum(-1), torch.ones(1, 4, 3))


@pytest.mark.parametrize("rotary", [False, True])
@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_reading_in_pieces_with_a_cache_equals_reading_all_at_once(chunk: int, rotary: bool):
    decoder = Decoder([LayerConfig(16, 4, 32, rotary=rotary)] * 2).eval()
    memory, target = torch.randn(2, 4, 16), torch.randn(2, 6, 16)
    padding = torch.tensor([[False, False, False, True], [False] * 4])
    at_once = decoder(target, memory, source_padding_mask=padding)

    cache = DecoderCache(2)
    pieces = [
        decoder(piece, memory, source_padding_mask=padding, cache=cache)
        for piece in target.split(chunk, dim=1)
    ]

    assert_close(torch.cat(pieces, dim=1), at_once)
    assert cache.length == 6


def test_masks_of_another_shape_are_refused_naming_both():
    decoder = Decoder([SMALL])
    target, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)

    with pytest.raises(ShapeError, match=r"padding mask \(2, 5\) does not fit the target \(2, 3,"):
        decoder(target, memory, torch.zeros(2, 5, dtype=torch.bool))
    with pytest.raises(
        ShapeError, match=r"source padding mask \(2, 3\) does not fit the encoder's output \(2, 5,"
    ):
        decoder(target, memory, None, torch.zeros(2, 3, dtype=torch.bool))
