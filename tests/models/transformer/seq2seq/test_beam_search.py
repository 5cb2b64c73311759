import itertools
import math

import pytest
import torch
from torch import Tensor

from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.beam_search import beam_search, length_penalty
from models.transformer.seq2seq.next_token import NextToken
from models.transformer.seq2seq.transformer import Transformer

SOURCE = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
MAX_LEN = 4


@pytest.fixture
def model() -> Transformer:
    torch.manual_seed(3)
    model = Transformer(10, 6, LayerConfig(16, 4, 32), num_layers=1).eval()
    with torch.no_grad():
        model.output_projection.weight.mul_(4)  # some targets far more probable than others
    return model


def _score(model: Transformer, row: int, target: list[int], alpha: float) -> float:
    ids, source = torch.tensor([[1, *target]]), SOURCE[row : row + 1]
    logits = model(source, ids)[0].index_fill(-1, torch.tensor([0, 1]), -torch.inf)
    steps = logits.log_softmax(-1)[torch.arange(len(target)), torch.tensor(target)]
    return steps.sum().item() / ((5 + len(target)) / 6) ** alpha


def _best_of_all(model: Transformer, row: int, alpha: float) -> list[int]:
    """Try every target of at most 4 tokens of the 4 that may be written: 2 = <eos>, 3, 4, 5."""
    ended = [
        [*start, 2] for n in range(MAX_LEN) for start in itertools.product((3, 4, 5), repeat=n)
    ]
    unended = [list(target) for target in itertools.product((3, 4, 5), repeat=MAX_LEN)]
    return max(ended + unended, key=lambda target: _score(model, row, target, alpha))


def _search(model: Transformer, source: Tensor, beam_size: int, alpha: float) -> list[list[int]]:
    with torch.inference_mode():
        found = beam_search(NextToken(model, source, True), MAX_LEN, beam_size, alpha)
    return [[token for token in row if token != 0] for row in found.tolist()]


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_the_best_of_all_targets(model: Transformer, alpha: float):
    found = _search(model, SOURCE, beam_size=200, alpha=alpha)

    with torch.inference_mode():
        assert found == [_best_of_all(model, row, alpha) for row in range(2)]


def test_a_beam_never_scores_below_the_greedy_choice_it_contains(model: Transformer):
    with torch.inference_mode():
        for row in range(2):
            scores = [
                _score(model, row, _search(model, SOURCE, width, 0.0)[row], 0.0)
                for width in (1, 200)
            ]
            assert scores[1] >= scores[0]


def test_sources_are_searched_independently(model: Transformer):
    together = _search(model, SOURCE, 3, 0.6)

    assert together == [_search(model, SOURCE[i : i + 1], 3, 0.6)[0] for i in range(2)]


def test_length_penalty_is_the_sources_equation():
    lengths = torch.tensor([1.0, 7.0])

    assert length_penalty(lengths, 0.0).tolist() == [1.0, 1.0]
    assert length_penalty(lengths, 0.6).tolist() == pytest.approx([1.0, math.pow(2, 0.6)])
