import pytest
import torch

from models.errors import UsageError
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.generation import generate
from models.transformer.seq2seq.transformer import Transformer
from models.transformer.study.cost import parameters
from models.transformer.study.torch_reference import TorchTransformer

SMALL = LayerConfig(16, 4, 32)


def test_has_as_many_parameters_as_our_own():
    assert parameters(TorchTransformer(10, 12, SMALL, 2)) == parameters(
        Transformer(10, 12, SMALL, 2)
    )


def test_generates_the_same_tokens_as_our_own():
    torch.manual_seed(0)
    theirs, ours = (kind(10, 12, SMALL, 2) for kind in (TorchTransformer, Transformer))
    theirs.copy_to(ours)
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])

    written = generate(theirs, source, max_len=8, use_cache=False)

    assert torch.equal(written, generate(ours, source, max_len=8))


def test_has_no_cache():
    with pytest.raises(UsageError, match="pass use_cache=False"):
        generate(TorchTransformer(10, 12, SMALL, 1), torch.tensor([[3]]))
