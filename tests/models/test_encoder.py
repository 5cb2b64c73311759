from itertools import chain
from pathlib import Path

import numpy as np
import opencc
import pytest
import torch
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertModel,
    RobertaConfig,
    RobertaModel,
    pipeline,
)

from models import artifact
from models.encoder import EncoderClassifier, positions, read_clean
from models.tokenization import TitleTokenizer
from tests.conftest import SPECIALS, character_tokenizer

TITLES = ["股市今日涨幅", "a", "球队比赛冠军高考录取分数", "新 大学生", "🙂", "股" * 40]


def test_a_title_scores_the_same_alone_in_a_batch_and_padded_to_64(
    tiny_classifier: EncoderClassifier,
):
    together = tiny_classifier.predict_logits(TITLES)
    alone = np.concatenate([tiny_classifier.predict_logits([title]) for title in TITLES])
    padded = tiny_classifier.tokenizer(
        TITLES, truncation="only_first", max_length=16, return_tensors="pt", padding=True
    )
    padded = tiny_classifier.tokenizer.pad(padded, padding="max_length", max_length=64)
    with torch.inference_mode():
        to_64 = tiny_classifier.model(**padded).logits.numpy()

    assert padded["input_ids"].shape == (len(TITLES), 64)
    assert together == pytest.approx(alone, abs=1e-5)
    assert together == pytest.approx(to_64, abs=1e-5)


def test_without_the_mask_padding_would_change_the_scores(tiny_classifier: EncoderClassifier):
    batch = tiny_classifier.tokenizer(["a", "股市今日涨幅"], return_tensors="pt", padding=True)
    with torch.inference_mode():
        unmasked = tiny_classifier.model(input_ids=batch["input_ids"]).logits.numpy()

    masked = tiny_classifier.predict_logits(["a", "股市今日涨幅"])
    assert np.abs(unmasked[0] - masked[0]).max() > 1e-3


def test_no_titles_give_no_rows(tiny_classifier: EncoderClassifier):
    assert tiny_classifier.predict_proba([]).shape == (0, 3)
    assert tiny_classifier.score([]).truncated.tolist() == []


def test_rows_sum_to_one_in_the_titles_order(tiny_classifier: EncoderClassifier):
    tiny_classifier.batch_size = 2

    scores = tiny_classifier.predict_proba(TITLES)

    assert scores.dtype == np.float32
    assert scores.sum(axis=1) == pytest.approx(np.ones(len(TITLES)), abs=1e-6)
    assert scores[::-1] == pytest.approx(tiny_classifier.predict_proba(TITLES[::-1]), abs=1e-6)


def test_only_titles_beyond_max_length_are_told_as_truncated(tiny_classifier: EncoderClassifier):
    assert tiny_classifier.score(["股" * 14, "股" * 15]).truncated.tolist() == [False, True]


def test_the_folder_is_the_ecosystems(tmp_path: Path, tiny_classifier: EncoderClassifier):
    artifact.save(tiny_classifier, tmp_path / "model")

    ecosystem = pipeline("text-classification", str(tmp_path / "model"), top_k=None)
    answers = ecosystem(TITLES[:5])

    ours = tiny_classifier.predict_proba(TITLES[:5])
    for answer, row in zip(answers, ours, strict=True):
        scores = {entry["label"]: entry["score"] for entry in answer}
        assert [scores[name] for name in ("stocks", "sports", "education")] == pytest.approx(
            row.tolist(), abs=1e-5
        )


def test_a_pipeline_reads_titles_as_we_do(tmp_path: Path, tiny_classifier: EncoderClassifier):
    artifact.save(tiny_classifier, tmp_path / "model")
    titles = ["&quot;股市&quot;\u200b <em>涨跌</em>\u3000", "[PAD]球队[SEP]", "ＡＢ  c\n"]
    titles += ["股市漲\u200b跌", "<b>樓盤</b>房價"]

    answers = pipeline("text-classification", model=str(tmp_path / "model"))(titles, top_k=1)

    best = tiny_classifier.predict_proba(titles).max(axis=1)
    assert [answer["score"] for (answer,) in answers] == pytest.approx(best, abs=1e-5)


def test_transformers_and_we_cut_each_traditional_character_as_its_twin(tmp_path: Path):
    """With a vocabulary that has a piece for every character."""
    han = [chr(code) for code in [*range(0x3400, 0xA000), *range(0x20000, 0x33480)]]
    twins = opencc.OpenCC("t2s").convert("\n".join(han)).split("\n")
    pairs = [(a, b) for a, b in zip(han, twins, strict=True) if a != b]
    read_clean(tokenizer := character_tokenizer([*SPECIALS, *han]))
    tokenizer.save_pretrained(tmp_path)

    transformers = AutoTokenizer.from_pretrained(tmp_path)
    ours = TitleTokenizer.read(tmp_path, pad_id=0, max_length=8)

    ids, of_twins = (transformers(titles)["input_ids"] for titles in zip(*pairs, strict=True))
    assert len(pairs) > 4000
    assert ids == of_twins == ours([a for a, _ in pairs]).ids
    assert 1 not in chain.from_iterable(ids)


@pytest.mark.parametrize("max_length", [1024, None])
def test_a_title_longer_than_the_encoder_has_positions_is_cut_and_said_to_be(
    tiny_classifier: EncoderClassifier, max_length: int | None
):
    model, tokenizer, labels = (
        tiny_classifier.model, tiny_classifier.tokenizer, tiny_classifier.labels,
    )  # fmt: skip
    classifier = EncoderClassifier(model, tokenizer, labels, max_length)

    probabilities, truncated = classifier.score(["股" * 1800, "股" * 78])

    assert classifier.max_length == 80
    assert truncated.tolist() == [True, False]
    assert probabilities[0] == pytest.approx(probabilities[1], abs=1e-6)


def test_positions_are_counted_from_behind_the_paddings():
    small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    small |= {"vocab_size": 9, "intermediate_size": 8}

    assert positions(BertModel(BertConfig(**small, max_position_embeddings=12))) == 12
    roberta = RobertaConfig(**small, max_position_embeddings=14, pad_token_id=1)
    assert positions(RobertaModel(roberta)) == 12
