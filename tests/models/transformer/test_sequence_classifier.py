from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from models.errors import PretrainedError
from models.transformer.masks import from_attention_mask
from models.transformer.sequence_classifier import SequenceClassifier

from .references import SMALL_BERT, assert_close, scatter

CONFIG = {**SMALL_BERT, "num_labels": 10}


def test_scores_titles_as_the_fine_tuned_bert_does(tmp_path: Path):
    torch.manual_seed(0)
    theirs = scatter(BertForSequenceClassification(BertConfig(**CONFIG))).eval()
    theirs.save_pretrained(tmp_path)
    ids = torch.randint(30, (4, 9))
    attention_mask = (torch.arange(9) < torch.tensor([[9], [4], [1], [7]])).long()

    ours = SequenceClassifier.from_bert(tmp_path)

    expected = theirs(input_ids=ids, attention_mask=attention_mask).logits
    assert_close(ours(ids, from_attention_mask(attention_mask)), expected)
    assert not ours.training
    assert ours.dropout.p == 0.1


def test_padding_does_not_change_a_titles_scores(tmp_path: Path):
    torch.manual_seed(0)
    scatter(BertForSequenceClassification(BertConfig(**CONFIG))).save_pretrained(tmp_path)
    model, ids = SequenceClassifier.from_bert(tmp_path), torch.tensor([[2, 7, 9, 3]])
    padded = torch.nn.functional.pad(ids, (0, 5))

    padding = torch.arange(9).unsqueeze(0) >= 4

    assert_close(model(padded, padding), model(ids))
    assert not torch.allclose(model(padded), model(ids), atol=1e-3)


def test_an_encoder_without_a_head_is_refused(tmp_path: Path):
    BertForSequenceClassification(BertConfig(**CONFIG)).bert.save_pretrained(tmp_path)

    with pytest.raises(PretrainedError, match=r"has no tensor 'classifier\.weight'"):
        SequenceClassifier.from_bert(tmp_path)
