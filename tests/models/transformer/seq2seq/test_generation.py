import math
from unittest.mock import patch

import pytest
import torch

from models.errors import ShapeError, UsageError
from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.generation import STRATEGIES, generate
from models.transformer.seq2seq.transformer import Transformer

SOURCE = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [9, 3, 3, 0]])


@pytest.fixture
def model() -> Transformer:
    torch.manual_seed(5)
    model = Transformer(10, 12, LayerConfig(16, 4, 32), num_layers=2, max_len=30)
    with torch.no_grad():
        model.output_projection.weight.mul_(3)
        model.output_projection.bias[2] = -1.0  # <eos> not too soon
    return model


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_cached_generation_equals_uncached(model: Transformer, strategy: str):
    cached, uncached = (
        generate(model, SOURCE, strategy, max_len=15, use_cache=use_cache, seed=7)
        for use_cache in (True, False)
    )

    assert torch.equal(cached, uncached)


def test_cached_generation_equals_uncached_with_rotary_positions():
    model = Transformer(10, 12, LayerConfig(16, 4, 32, rotary=True), num_layers=2)

    cached, uncached = (generate(model, SOURCE, use_cache=use) for use in (True, False))

    assert torch.equal(cached, uncached)


def test_greedy_writes_the_most_probable_token_at_each_step(model: Transformer):
    written = generate(model, SOURCE[:1], max_len=6)[0]

    model.eval()
    target = torch.tensor([[1, *written.tolist()]])
    logits = model(SOURCE[:1], target[:, :-1])[0]
    assert torch.equal(logits[:, 2:].argmax(-1) + 2, written)


def test_one_beam_one_candidate_and_a_tiny_nucleus_are_all_greedy(model: Transformer):
    greedy = generate(model, SOURCE, max_len=10)

    assert torch.equal(greedy, generate(model, SOURCE, "beam", max_len=10, beam_size=1))
    assert torch.equal(greedy, generate(model, SOURCE, "top_k", max_len=10, top_k=1))
    assert torch.equal(greedy, generate(model, SOURCE, "top_p", max_len=10, top_p=1e-6))
    assert torch.equal(greedy, generate(model, SOURCE, "top_k", temperature=1e-4, max_len=10))


@pytest.mark.parametrize("strategy", ["top_k", "top_p"])
def test_a_seed_repeats_the_draws_and_another_changes_them(model: Transformer, strategy: str):
    options = {"temperature": 3.0, "max_len": 20}
    first, again, other = (
        generate(model, SOURCE, strategy, seed=seed, **options) for seed in (1, 1, 2)
    )

    assert torch.equal(first, again)
    assert first.shape != other.shape or not torch.equal(first, other)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_but_padding_follows_the_end(model: Transformer, strategy: str):
    with torch.no_grad():
        model.output_projection.bias[2] = 2.0
    written = generate(model, SOURCE.repeat(4, 1), strategy, temperature=2.0, max_len=20, seed=0)

    ended = False
    for row in written.tolist():
        if 2 in row:
            ended = True
            assert set(row[row.index(2) + 1 :]) <= {0}
            row = row[: row.index(2)]
        assert not {0, 1} & set(row)
    assert ended


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_source_is_read_once(model: Transformer, strategy: str):
    with patch.object(Encoder, "forward", autospec=True, side_effect=Encoder.forward) as read:
        generate(model, SOURCE, strategy, max_len=5)

    assert read.call_count == 1


def test_a_target_is_the_same_alone_and_in_a_batch(model: Transformer):
    together = generate(model, SOURCE, max_len=10)

    alone = generate(model, SOURCE[1:2, :2], max_len=10)[0]

    assert together[1, : len(alone)].tolist() == alone.tolist()


def test_the_models_mode_is_restored_and_dropout_is_off_meanwhile(model: Transformer):
    model.train()

    assert torch.equal(generate(model, SOURCE, max_len=8), generate(model, SOURCE, max_len=8))
    assert model.training


def test_writing_beyond_the_models_positions_is_a_clear_error(model: Transformer):
    with torch.no_grad():
        model.output_projection.bias[2] = -1e4

    with pytest.raises(ShapeError, match=r"ends at 31, but the position table \(30, 16\)"):
        generate(model, SOURCE, max_len=31)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"strategy": "best"}, "unknown strategy 'best'; expected one of: greedy, beam, top_k"),
        ({"temperature": 0.0}, "temperature must be above 0, got 0.0; or take greedy"),
        ({"temperature": math.nan}, "temperature must be above 0, got nan; or take greedy"),
        ({"temperature": math.inf}, "temperature must be above 0, got inf; or take greedy"),
        ({"length_penalty": math.nan}, "length_penalty must be a number, got nan"),
        ({"top_p": math.nan}, r"top_p must lie in \(0, 1\], got nan"),
        ({"max_len": 0}, "max_len, beam_size and top_k must be at least 1"),
        ({"top_p": 1.5}, r"top_p must lie in \(0, 1\], got 1.5"),
    ],
)
def test_an_option_out_of_range_is_refused(
    model: Transformer, options: dict[str, object], told: str
):
    with pytest.raises(UsageError, match=told):
        generate(model, SOURCE, **options)
