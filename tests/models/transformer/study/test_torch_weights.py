import torch
from hypothesis import given, settings

from models.transformer.study.torch_weights import to_torch

from ..references import (
    Shape,
    our_decoder,
    our_encoder,
    shapes,
    torch_decoder,
    torch_encoder,
)


@settings(deadline=None, max_examples=10)
@given(shape=shapes)
def test_weights_go_there_and_back_unchanged(shape: Shape):
    torch.manual_seed(shape.seed)
    for theirs, copy in ((torch_encoder(shape), our_encoder), (torch_decoder(shape), our_decoder)):
        original = theirs.state_dict()

        returned = to_torch(copy(shape, theirs).state_dict())

        assert returned.keys() == original.keys()
        assert all(torch.equal(returned[name], original[name]) for name in original)
