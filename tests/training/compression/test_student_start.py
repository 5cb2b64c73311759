import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import UsageError
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.conversion import as_student
from training.compression.student_start import (
    cut_positions,
    cut_vocabulary,
    evenly_spaced,
    randomised,
    take_layers,
    with_dropout,
)

TITLES = ["股市今日涨幅", "a", "球队比赛冠军"]


def layer_weights(student: StudentClassifier, layer: int) -> dict[str, torch.Tensor]:
    return student.network.encoder.layers[layer].state_dict()


@pytest.mark.parametrize(
    ("count", "depth", "layers"),
    [(4, 12, [0, 4, 7, 11]), (3, 12, [0, 6, 11]), (2, 3, [0, 2]), (3, 3, [0, 1, 2]), (1, 5, [0])],
)
def test_layers_are_spread_from_the_lowest_to_the_highest(
    count: int, depth: int, layers: list[int]
):
    assert evenly_spaced(count, depth) == layers


@pytest.mark.parametrize("count", [0, 4])
def test_layers_that_are_not_there_cannot_be_taken(count: int):
    with pytest.raises(UsageError, match=f"{count} layers cannot be taken from a model of 3"):
        evenly_spaced(count, 3)


def test_layers_head_and_embedding_are_taken_over(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    small = take_layers(tiny_student, [0, 2], None, three_topics)

    assert len(small.config.layers) == 2
    for new, old in enumerate([0, 2]):
        ours, theirs = layer_weights(small, new), layer_weights(tiny_student, old)
        assert all((ours[name] == theirs[name]).all() for name in theirs)
    for name in ("encoder.embedding.tokens.weight", "pooler.weight", "classifier.weight"):
        assert (small.network.state_dict()[name] == tiny_student.network.state_dict()[name]).all()


def test_an_encoder_with_all_its_layers_scores_as_before(
    tmp_path: Path, tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
):
    artifact.save(tiny_classifier, tmp_path / "encoder")
    student = as_student(artifact.load(tmp_path / "encoder"))

    whole = take_layers(student, [0, 1], None, three_topics)

    expected = tiny_classifier.predict_logits(TITLES)
    assert whole.predict_logits(TITLES) == pytest.approx(expected, abs=1e-5)


def test_the_neurons_that_matter_stay_in_a_narrower_layer(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    narrow = tiny_student.network.encoder.layers[2].feed_forward.narrow
    with torch.no_grad():
        narrow.weight[:, ::2] = 0  # every other neuron is read by nobody

    small = take_layers(tiny_student, [0, 2], 32, three_topics)

    assert [layer.d_ff for layer in small.config.layers] == [32, 32]
    kept = small.network.encoder.layers[1].feed_forward.narrow.weight
    assert (kept == narrow.weight[:, 1::2]).all()


def test_a_layer_beyond_the_top_is_refused(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    with pytest.raises(UsageError, match=r"layers \[0, 3\] cannot be kept; the model has 0 to 2"):
        take_layers(tiny_student, [0, 3], None, three_topics)


def test_a_smaller_vocabulary_scores_alike_in_its_new_ids(tiny_student: StudentClassifier):
    pieces = tiny_student.tokenizer.tokenizer.get_vocab_size()
    kept = [*range(1, 20), 0, *range(20, pieces)]  # padding moves, nothing is lost
    tokenizer = renumbered(tiny_student.tokenizer.tokenizer, kept)

    moved = cut_vocabulary(tiny_student, tokenizer, kept)
    assert moved.config.pad_id == moved.tokenizer.pad_id == 19
    assert moved.predict_logits(TITLES) == pytest.approx(
        tiny_student.predict_logits(TITLES), abs=1e-5
    )

    fewer = cut_vocabulary(tiny_student, tokenizer, range(30))
    assert fewer.config.vocab_size == 30
    assert fewer.network.encoder.embedding.tokens.weight.shape == (30, 32)


def test_positions_are_cut_and_the_student_given_stays(tiny_student: StudentClassifier):
    short = cut_positions(tiny_student, 8)

    assert short.tokenizer(["股" * 20]).ids == tiny_student.tokenizer(["股" * 6]).ids
    assert short.config.max_positions == short.max_length == 8
    assert short.predict_logits(TITLES[:2]) == pytest.approx(
        tiny_student.predict_logits(TITLES[:2]), abs=1e-6
    )
    assert tiny_student.config.max_positions == tiny_student.max_length == 16
    assert cut_positions(tiny_student, 99).config.max_positions == 16
    assert short.network is not tiny_student.network


def test_dropout_changes_training_alone(tiny_student: StudentClassifier):
    wet = with_dropout(tiny_student, 0.5)

    assert {layer.dropout_of_weights for layer in wet.config.layers} == {0.5}
    assert (wet.predict_logits(TITLES) == tiny_student.predict_logits(TITLES)).all()
    connection = wet.network.encoder.layers[0].attention_connection
    assert any(m.p == 0.5 for m in connection.modules() if isinstance(m, torch.nn.Dropout))


def test_random_weights_have_the_shape_alone(
    make_student: Callable[..., StudentClassifier],
):
    student = make_student()
    fresh, again, other = (randomised(student, seed) for seed in (13, 13, 14))

    assert fresh.config == student.config
    scores = [each.predict_logits(TITLES) for each in (student, fresh, again, other)]
    assert (scores[1] == scores[2]).all()
    assert np.abs(scores[1] - scores[0]).max() > 0.01 < np.abs(scores[1] - scores[3]).max()


def renumbered(tokenizer: Tokenizer, kept: list[int]) -> Tokenizer:
    """The tokenizer of single characters, whose piece i was piece `kept[i]`."""
    content = json.loads(tokenizer.to_str())
    vocabulary = content["model"]["vocab"]
    for piece, old in vocabulary.items():
        vocabulary[piece] = kept.index(old)
    for token in content["added_tokens"]:
        token["id"] = kept.index(token["id"])
    content["post_processor"]["sep"][1] = kept.index(3)
    content["post_processor"]["cls"][1] = kept.index(2)
    return Tokenizer.from_str(json.dumps(content))
