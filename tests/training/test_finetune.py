from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from models.encoder import EncoderClassifier
from models.errors import PretrainedError, UsageError
from models.labels import Labels
from titles import LabelledTitles
from training.finetune import (
    ClassificationLoss,
    FineTuneSettings,
    fine_tune,
    open_encoder,
    score_on,
)

SETTINGS = FineTuneSettings(
    epochs=8, batch_size=8, learning_rate=2e-3, max_length=16, precision="fp32", patience=8
)


def test_the_defaults_are_those_of_a_full_size_bert():
    settings = FineTuneSettings()

    assert (settings.max_length, settings.learning_rate, settings.batch_size) == (64, 2e-5, 32)


def test_a_tiny_encoder_learns_three_topics(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    result = fine_tune(tiny_encoder, three_topics, three_topics, SETTINGS, tmp_path, False)

    assert result.history.best["accuracy"] >= 0.95
    predicted = result.classifier.predict_proba(["冠军球队", "股市跌", "高考分数"]).argmax(axis=1)
    assert predicted.tolist() == [1, 0, 2]


def test_the_same_seed_gives_the_same_model(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    settings = replace(SETTINGS, epochs=1)
    scores = [
        fine_tune(
            tiny_encoder, three_topics, three_topics, each, tmp_path / name, False
        ).classifier.predict_proba(["股市"]).tolist()
        for name, each in (("a", settings), ("b", settings), ("c", replace(settings, seed=14)))
    ]  # fmt: skip

    assert scores[0] == scores[1] != scores[2]


def test_the_attention_mask_always_reaches_the_model(
    tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
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
    tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
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


def test_the_loss_is_cross_entropy_with_smoothed_targets(
    tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
):
    rows = [0, 13, 30]
    loss = ClassificationLoss(tiny_classifier, three_topics, replace(SETTINGS, label_smoothing=0.3))

    found = loss(tiny_classifier.model.eval(), rows).item()

    titles = [three_topics.titles[i] for i in rows]
    logs = np.log(tiny_classifier.predict_proba(titles))
    gold = np.eye(3)[[three_topics.label_ids[i] for i in rows]]
    expected = -((0.7 * gold + 0.3 / 3) * logs).sum(axis=1).mean()
    assert found == pytest.approx(expected, rel=1e-4)
    unsmoothed = -(gold * logs).sum(axis=1).mean()
    assert abs(expected - unsmoothed) > 1e-3


def test_consistency_is_the_mean_of_both_divergences_by_hand(
    tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
):
    readings = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 3.0]])  # of one title, of class 0

    def model(**batch: torch.Tensor) -> SimpleNamespace:
        assert batch["input_ids"].tolist() == [loss.rows.rows[0]] * 2
        return SimpleNamespace(logits=readings)

    loss = ClassificationLoss(tiny_classifier, three_topics, replace(SETTINGS, consistency=4.0))
    found = loss(model, [0]).item()

    p, q = readings.double().softmax(dim=1).numpy()
    cross_entropy = -(np.log(p[0]) + np.log(q[0])) / 2
    divergence = ((p * np.log(p / q)).sum() + (q * np.log(q / p)).sum()) / 2
    assert found == pytest.approx(cross_entropy + 4.0 * divergence, rel=1e-5)


def test_the_score_is_macro_f1(tiny_classifier: EncoderClassifier, three_topics: LabelledTitles):
    rows = [*range(12), 12, 24]  # of the first class all, of the others one each
    predicted = tiny_classifier.predict_proba(three_topics.titles).argmax(axis=1)
    dev = LabelledTitles.of(
        [three_topics.titles[i] for i in rows], predicted[rows], three_topics.labels
    )
    wrong = replace(dev, label_ids=(dev.label_ids + (np.arange(len(dev)) == 0)) % 3)

    perfect, found = score_on(tiny_classifier, dev), score_on(tiny_classifier, wrong)

    assert perfect["accuracy"] == 1.0
    assert found["score"] == found["macro_f1"] != found["accuracy"]
    assert found["accuracy"] == pytest.approx(13 / 14)


def test_a_run_of_other_labels_is_not_gone_on_with(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    settings = replace(SETTINGS, epochs=1)
    relabelled = replace(three_topics, label_ids=three_topics.label_ids[::-1].copy())
    fine_tune(tiny_encoder, three_topics, three_topics, settings, tmp_path, False)

    for train, dev in ((relabelled, three_topics), (three_topics, relabelled)):
        with pytest.raises(UsageError, match="a run with other data or settings"):
            fine_tune(tiny_encoder, train, dev, settings, tmp_path, False)


def test_titles_are_cut_at_max_length(tiny_classifier: EncoderClassifier, three_labels: Labels):
    examples = LabelledTitles.of(["股" * 40], [0], three_labels)

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


def test_more_tokens_than_the_encoder_has_positions_are_refused_before_training(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    settings = replace(SETTINGS, max_length=81)

    with pytest.raises(UsageError, match=r"max_length must be at most 80 with this enc.*, not 81"):
        fine_tune(tiny_encoder, three_topics, three_topics, settings, tmp_path / "run", False)
    assert not (tmp_path / "run").exists()
