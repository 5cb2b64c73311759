from dataclasses import replace

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


def test_a_post_ln_layer_is_honoured():
    layer = replace(SMALL, norm_first=False)
    torch.manual_seed(0)
    theirs, ours = (kind(10, 12, layer, 2) for kind in (TorchTransformer, Transformer))
    theirs.copy_to(ours)

    assert parameters(theirs) == parameters(ours)
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    written = generate(theirs, source, max_len=8, use_cache=False)
    assert torch.equal(written, generate(ours, source, max_len=8))


def test_padding_that_all_rows_have_is_kept():
    model = TorchTransformer(10, 12, replace(SMALL, norm_first=False), 1).eval()
    source = torch.tensor([[3, 4, 0, 0], [7, 0, 0, 0]])

    with torch.inference_mode():
        assert model.encode(source).shape == (2, 4, 16)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"rotary": True}, "rotary"),
        ({"head_dim": 8}, "head_dim"),
        ({"num_heads": 3}, "head_dim"),
        ({"attention_dropout": 0.5}, "attention_dropout"),
        ({"inner_dropout": 0.0}, "inner_dropout"),
        ({"activation": "swish"}, "activation"),
    ],
)
def test_a_layer_that_torch_cannot_follow_is_refused(change: dict[str, object], name: str):
    with pytest.raises(UsageError, match=f"^nn.Transformer cannot follow {name} of LayerConfig"):
        TorchTransformer(10, 12, replace(SMALL, **change), 1)


def test_settings_that_say_what_torch_does_anyhow_are_taken():
    layer = replace(SMALL, head_dim=4, attention_dropout=0.1, inner_dropout=0.1)

    assert parameters(TorchTransformer(10, 12, layer, 1)) == parameters(
        TorchTransformer(10, 12, SMALL, 1)
    )


def test_has_no_cache():
    with pytest.raises(UsageError, match="pass use_cache=False"):
        generate(TorchTransformer(10, 12, SMALL, 1), torch.tensor([[3]]))
