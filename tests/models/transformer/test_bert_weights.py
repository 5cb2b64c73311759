from pathlib import Path

import torch
from transformers import BertConfig, BertModel

from models.transformer.bert_weights import to_bert
from models.transformer.encoder import Encoder


def test_weights_go_there_and_back_unchanged(tmp_path: Path):
    config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=4)
    theirs = BertModel(config, add_pooling_layer=False)
    theirs.save_pretrained(tmp_path)

    returned = to_bert(Encoder.from_bert(tmp_path).state_dict())

    original = dict(theirs.named_parameters())
    assert returned.keys() == original.keys()
    assert all(torch.equal(returned[name], original[name]) for name in original)
