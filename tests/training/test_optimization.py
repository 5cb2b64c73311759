from pathlib import Path

import pytest
from transformers import AutoModelForSequenceClassification

from models.transformer.encoder import Encoder
from models.transformer.sequence_classifier import SequenceClassifier
from training.optimization import parameter_groups, warmup_then_linear


@pytest.fixture
def rates_and_decays(tiny_encoder: Path) -> dict[str, tuple[float, float]]:
    model = AutoModelForSequenceClassification.from_pretrained(tiny_encoder)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = parameter_groups(model, learning_rate=1.0, weight_decay=0.01, layer_decay=0.5)
    return {
        names[id(p)]: (group["lr"], group["weight_decay"])
        for group in groups
        for p in group["params"]
    }


def test_biases_and_layer_norms_do_not_decay(rates_and_decays: dict[str, tuple[float, float]]):
    for name, (_, decay) in rates_and_decays.items():
        exempt = name.endswith(".bias") or "LayerNorm" in name
        assert decay == (0.0 if exempt else 0.01), name


def test_every_layer_learns_at_half_the_rate_of_the_one_above(
    rates_and_decays: dict[str, tuple[float, float]],
):
    rate = {name: rate for name, (rate, _) in rates_and_decays.items()}

    assert rate["classifier.weight"] == 1.0
    assert rate["bert.pooler.dense.bias"] == 1.0
    assert rate["bert.encoder.layer.1.output.dense.weight"] == 0.5
    assert rate["bert.encoder.layer.0.output.dense.weight"] == 0.25
    assert rate["bert.embeddings.word_embeddings.weight"] == 0.125


def test_the_depth_of_our_own_encoders_weights_is_known_too(tiny_encoder: Path):
    model = SequenceClassifier(Encoder.from_bert(tiny_encoder), d_model=32, num_classes=3)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = parameter_groups(model, learning_rate=1.0, weight_decay=0.01, layer_decay=0.5)
    rate = {names[id(p)]: group["lr"] for group in groups for p in group["params"]}

    assert rate["pooler.weight"] == 1.0
    assert rate["encoder.layers.1.feed_forward.widen.weight"] == 0.5
    assert rate["encoder.layers.0.feed_forward.widen.weight"] == 0.25
    assert rate["encoder.embedding.tokens.weight"] == 0.125


def test_without_layer_decay_all_learn_alike(tiny_encoder: Path):
    model = AutoModelForSequenceClassification.from_pretrained(tiny_encoder)

    groups = parameter_groups(model, learning_rate=2e-5, weight_decay=0.01)

    assert {group["lr"] for group in groups} == {2e-5}
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))


def test_the_rate_rises_then_falls_linearly():
    factors = [warmup_then_linear(step, 10, 0.2) for step in range(11)]

    assert factors == [0.0, 0.5, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0]
