import copy

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, DistilBertConfig
from transformers import DistilBertForSequenceClassification as DistilBert

from training.first_token import logits_of

IDS = torch.tensor([[2, 7, 9, 11, 3], [2, 8, 3, 0, 0]])
MASKS = [torch.ones_like(IDS), (IDS != 0).long()]


@pytest.fixture
def bert() -> BertForSequenceClassification:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=40, hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=64, num_labels=3, initializer_range=0.2,
    )  # fmt: skip
    return BertForSequenceClassification(config).eval()


@pytest.mark.parametrize("mask", MASKS, ids=["full", "padded"])
def test_logits_and_gradients_are_those_of_the_whole_model(
    bert: BertForSequenceClassification, mask: torch.Tensor
):
    whole = copy.deepcopy(bert)
    found = logits_of(bert, IDS, mask)
    expected = whole(input_ids=IDS, attention_mask=mask).logits
    assert torch.allclose(found, expected, atol=1e-5)

    found.square().sum().backward()
    expected.square().sum().backward()
    for (name, ours), theirs in zip(bert.named_parameters(), whole.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-4), name


def test_in_training_the_dropouts_are_applied(bert: BertForSequenceClassification):
    bert.train()
    means = torch.stack([logits_of(bert, IDS, MASKS[0]) for _ in range(2)])

    assert not torch.equal(means[0], means[1])


def test_the_last_layer_computes_nothing_else_for_the_other_tokens(
    bert: BertForSequenceClassification,
):
    shapes = []
    last = bert.bert.encoder.layer[-1]
    last.intermediate.register_forward_hook(lambda _, inputs, out: shapes.append(out.shape))

    logits_of(bert, IDS, MASKS[0])

    assert shapes == [(2, 1, 64)]


def test_another_model_gives_its_own_logits():
    torch.manual_seed(0)
    model = DistilBert(DistilBertConfig(vocab_size=40, dim=32, n_layers=1, n_heads=4)).eval()

    found = logits_of(model, IDS, MASKS[1])

    assert torch.equal(found, model(input_ids=IDS, attention_mask=MASKS[1]).logits)
