from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import torch
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers import models as tokenizer_models
from transformers import BertConfig, BertModel

from models.errors import PretrainedError
from models.transformer.study import figures

PNG = b"\x89PNG"
TITLE = "球队夺冠"


@pytest.fixture
def encoder_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "encoder"
    config = BertConfig(
        vocab_size=10,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=8,
    )
    BertModel(config).save_pretrained(folder)
    vocabulary = {piece: i for i, piece in enumerate(["[UNK]", *TITLE])}
    tokenizer = Tokenizer(tokenizer_models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.slow
def test_every_picture_is_written(tmp_path: Path, encoder_folder: Path):
    written = figures.draw_all(tmp_path / "figures", encoder_folder, TITLE)

    names = ["positions", "masks", "masked_weights", "saturation", "norms", "parameters"]
    assert [path.stem for path in written] == [*names, "warm_up", "attention"]
    assert all(path.read_bytes()[:4] == PNG for path in written)
    assert plt.get_fignums() == []


def test_an_encoder_that_cannot_be_read_is_named_before_anything_is_drawn(tmp_path: Path):
    with pytest.raises(PretrainedError, match=r"has no tokenizer\.json"):
        figures.draw_all(tmp_path / "figures", tmp_path, TITLE)

    assert not (tmp_path / "figures").exists()


def test_without_a_chinese_font_the_tokens_are_numbered_and_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(figures, "chinese_font", lambda: None)

    figures.draw_heads(torch.rand(3, 2, 2), ["球", "队"], ["夺", "冠"], tmp_path / "heads.png")

    assert (tmp_path / "heads.txt").read_text(encoding="utf-8") == (
        "rows 0 球\nrows 1 队\ncolumns 0 夺\ncolumns 1 冠\n"
    )


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path):
    with pytest.raises(PretrainedError, match=r"has no tokenizer\.json"):
        figures.read_title(tmp_path, TITLE)
