import pytest
import torch

from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.next_token import NextToken
from models.transformer.seq2seq.transformer import Transformer

from ..references import assert_close

SOURCE = torch.tensor([[3, 4, 5], [7, 8, 0]])


@pytest.fixture
def model() -> Transformer:
    torch.manual_seed(0)
    return Transformer(10, 12, LayerConfig(16, 4, 32), num_layers=2).eval()


def test_padding_and_bos_never_follow(model: Transformer):
    next_token = NextToken(model, SOURCE, use_cache=True)

    scores = next_token.log_probabilities(next_token.start())

    assert scores[:, :2].isinf().all()
    assert_close(scores.exp().sum(-1), torch.ones(2))


def test_temperature_divides_the_logits(model: Transformer):
    start = torch.ones(2, 1, dtype=torch.long)
    one, two = (
        NextToken(model, SOURCE, False).log_probabilities(start, t)[:, 2:] for t in (1.0, 2.0)
    )

    assert_close(two, (one / 2).log_softmax(-1))


@pytest.mark.parametrize("use_cache", [True, False])
def test_reordered_rows_go_on_as_the_rows_they_come_from(model: Transformer, use_cache: bool):
    next_token = NextToken(model, SOURCE, use_cache)
    target = torch.tensor([[1, 5, 6], [1, 7, 4]])
    next_token.log_probabilities(target[:, :2])
    expected = NextToken(model, SOURCE, False).log_probabilities(target)

    rows = torch.tensor([1, 1, 0])
    next_token.reorder(rows)

    assert next_token.rows == 3
    assert_close(next_token.log_probabilities(target[rows]), expected[rows])
