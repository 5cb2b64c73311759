from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.encoder import EncoderClassifier
from models.errors import PretrainedError, UsageError
from models.labels import Labels
from training.finetune import (
    ClassificationLoss,
    Examples,
    FineTuneSettings,
    fine_tune,
    open_encoder,
)

SETTINGS = FineTuneSettings(
    epochs=8, batch_size=8, learning_rate=2e-3, max_length=16, precision="fp32", patience=8
)


def test_the_defaults_are_those_of_a_full_size_bert():
    settings = FineTuneSettings()

    assert (settings.max_length, settings.learning_rate, settings.batch_size) == (64, 2e-5, 32)


def test_a_tiny_encoder_learns_three_topics(
    tmp_path: Path, tiny_encoder: Path, three_topics: Examples, three_labels: Labels
):
    result = fine_tune(
        tiny_encoder, three_topics, three_topics, three_labels, SETTINGS, tmp_path, False
    )

    assert result.history.best["accuracy"] >= 0.95
    predicted = result.classifier.predict_proba(["冠军球队", "股市跌", "高考分数"]).argmax(axis=1)
    assert predicted.tolist() == [1, 0, 2]
    assert 0.05 <= result.temperature <= 20


def test_the_same_seed_gives_the_same_model(
    tmp_path: Path, tiny_encoder: Path, three_topics: Examples, three_labels: Labels
):
    settings = replace(SETTINGS, epochs=1)
    scores = [
        fine_tune(
            tiny_encoder, three_topics, three_topics, three_labels, each, tmp_path / name, False
        ).classifier.predict_proba(["股市"]).tolist()
        for name, each in (("a", settings), ("b", settings), ("c", replace(settings, seed=14)))
    ]  # fmt: skip

    assert scores[0] == scores[1] != scores[2]


def test_the_attention_mask_always_reaches_the_model(
    tiny_classifier: EncoderClassifier, three_topics: Examples
):
    seen = []

    def spy(**batch: torch.Tensor) -> object:
        seen.append(batch)
        return tiny_classifier.model(**batch)

    loss = ClassificationLoss(tiny_classifier, three_topics, SETTINGS)
    loss(spy, [0, 13, 30])

    (batch,) = seen
    real = batch["input_ids"] != tiny_classifier.tokenizer.pad_token_id
    assert (batch["attention_mask"] == real).all()
    assert batch["attention_mask"].min() == 0
    assert batch["attention_mask"].sum(dim=1).tolist() == [loss.lengths[i] for i in (0, 13, 30)]


def test_consistency_adds_nothing_where_two_readings_agree(
    tiny_classifier: EncoderClassifier, three_topics: Examples
):
    rows = [0, 13, 30]
    plain = ClassificationLoss(tiny_classifier, three_topics, SETTINGS)
    twice = ClassificationLoss(tiny_classifier, three_topics, replace(SETTINGS, consistency=5.0))
    model = tiny_classifier.model

    model.eval()
    assert twice(model, rows).item() == pytest.approx(plain(model, rows).item(), abs=1e-5)
    model.train()
    torch.manual_seed(0)
    assert twice(model, rows).item() > plain(model, rows).item()


def test_titles_are_cut_at_max_length(tiny_classifier: EncoderClassifier):
    examples = Examples(["股" * 40], [0])

    loss = ClassificationLoss(tiny_classifier, examples, replace(SETTINGS, max_length=10))

    assert loss.lengths == [10]


def test_the_head_gets_the_labels_names(tiny_encoder: Path, three_labels: Labels):
    config = open_encoder(tiny_encoder, three_labels, 16).model.config

    assert config.id2label == {0: "stocks", 1: "sports", 2: "education"}
    assert config.label2id == {"stocks": 0, "sports": 1, "education": 2}


def test_a_folder_that_is_no_encoder_is_named(tmp_path: Path, three_labels: Labels):
    with pytest.raises(PretrainedError, match=f"{tmp_path} cannot be opened as an encoder"):
        open_encoder(tmp_path, three_labels, 16)


@pytest.mark.parametrize(
    ("field", "value"), [("max_length", 2), ("label_smoothing", 1.0), ("consistency", -1.0)]
)
def test_settings_that_cannot_be_used_are_refused(field: str, value: float):
    with pytest.raises(UsageError):
        replace(SETTINGS, **{field: value})
