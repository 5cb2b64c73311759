from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from models.errors import UsageError
from models.student import StudentClassifier
from models.tokenization import TitleTokenizer
from models.transformer.masks import padding_mask_from_ids
from titles import LabelledTitles
from training.compression.distillation import DistillationLoss, DistillSettings, distill
from training.compression.hidden_states import HiddenStateLoss
from training.compression.student_start import cut_vocabulary, randomised, take_layers

SETTINGS = DistillSettings(
    epochs=6,
    batch_size=16,
    learning_rate=3e-3,
    precision="fp32",
    alpha=0.0,
    hidden_weight=1.0,
    patience=9,
)


def hidden_loss(teacher: StudentClassifier, student: StudentClassifier, titles: list[str]) -> float:
    rows = student.tokenizer(titles).ids
    longest = max(map(len, rows))
    pad_id = student.config.pad_id
    ids = torch.tensor([row + [pad_id] * (longest - len(row)) for row in rows])
    padding = padding_mask_from_ids(ids, pad_id)
    with torch.inference_mode():
        states = student.network.encoder.trace(ids, padding).hidden_states
        return HiddenStateLoss(teacher, student)(states, ids, padding).item()


def test_a_teacher_differs_from_itself_by_nothing(tiny_student: StudentClassifier):
    assert hidden_loss(tiny_student, tiny_student, ["股市", "球队比赛"]) == 0.0


def test_the_loss_is_the_mean_square_over_mapped_layers_and_real_tokens(
    tiny_student: StudentClassifier, make_student: Callable[..., StudentClassifier]
):
    student = randomised(make_student(sizes=((2, 16),) * 2), 5)
    titles = ["股市", "球队比赛冠军"]

    expected = []
    for title in titles:
        ids = torch.tensor(student.tokenizer([title]).ids)
        with torch.inference_mode():
            own = student.network.encoder.trace(ids).hidden_states
            theirs = tiny_student.network.encoder.trace(ids).hidden_states
        pairs = zip(own, [theirs[0], theirs[2], theirs[3]], strict=True)  # of 3: 0, 1.5 → 2, 3
        expected.append(np.array([((a - b) ** 2).sum(dim=-1).numpy()[0] for a, b in pairs]))

    per_token = np.concatenate(expected, axis=1).mean() / 32
    assert HiddenStateLoss(tiny_student, student).layers == [0, 2, 3]
    assert hidden_loss(tiny_student, student, titles) == pytest.approx(per_token, rel=1e-5)


def test_a_row_of_the_table_that_is_no_piece_is_nothing_to_compare(tiny_student: StudentClassifier):
    config = replace(tiny_student.config, vocab_size=tiny_student.config.vocab_size + 1)
    name = "encoder.embedding.tokens.weight"
    table = tiny_student.network.state_dict()[name]
    padded = tiny_student.with_(config, tensors={name: torch.cat([table, table[:1]])})

    assert hidden_loss(tiny_student, padded, ["股市", "球队比赛"]) == 0.0


def test_a_student_of_fewer_pieces_is_compared_piece_by_piece(tiny_student: StudentClassifier):
    tokenizer = tiny_student.tokenizer.tokenizer
    kept = [*range(5), *(i for p, i in sorted(tokenizer.get_vocab().items()) if p in "股市球队比")]
    small = cut_vocabulary(tiny_student, tokenizer, sorted(set(kept)))
    names = [tokenizer.id_to_token(i) for i in sorted(set(kept))]
    small.tokenizer = Renamed(small.tokenizer, names)

    loss = HiddenStateLoss(tiny_student, small)

    assert loss.teacher_ids.tolist() == sorted(set(kept))


def test_distillation_brings_hidden_states_closer(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    start = take_layers(tiny_student, [0, 2], None, three_topics)
    before = hidden_loss(tiny_student, start, three_topics.titles)

    result = distill(
        start, three_topics, None, three_topics, SETTINGS, tmp_path, tiny_student, False
    )

    after = hidden_loss(tiny_student, result.classifier, three_topics.titles)
    assert after < 0.8 * before


def test_hidden_states_are_added_by_their_weight(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    start = take_layers(tiny_student, [0, 2], None, three_topics)
    hidden = HiddenStateLoss(tiny_student, start)

    def value(weight: float) -> float:
        settings = replace(SETTINGS, hidden_weight=weight)
        loss = DistillationLoss(start, three_topics, None, settings, hidden)
        with torch.inference_mode():
            return loss(start.network.eval(), [0, 13]).item()

    plain = DistillationLoss(start, three_topics, None, SETTINGS)
    with torch.inference_mode():
        without = plain(start.network, [0, 13]).item()
    titles = [three_topics.titles[i] for i in (0, 13)]
    assert value(0.0) == pytest.approx(without, abs=1e-5)
    assert value(2.0) - value(0.0) == pytest.approx(
        2 * hidden_loss(tiny_student, start, titles), rel=1e-4
    )


def test_other_sizes_and_pieces_are_refused(
    tiny_student: StudentClassifier, make_student: Callable[..., StudentClassifier]
):
    other = make_student()
    layers = tuple(replace(layer, d_model=16) for layer in other.config.layers)
    other.config = replace(other.config, layers=layers)
    with pytest.raises(UsageError, match="hidden states of 16 and 32 numbers cannot be compared"):
        HiddenStateLoss(tiny_student, other)

    other = make_student()
    other.tokenizer = Renamed(other.tokenizer, ["没有"] * other.config.vocab_size)
    with pytest.raises(UsageError, match="pieces, such as '没有'; pass --hidden-weight 0"):
        HiddenStateLoss(tiny_student, other)


class Renamed:
    """A title tokenizer whose piece i is called `names[i]`."""

    def __init__(self, titles: TitleTokenizer, names: list[str]):
        self.tokenizer, self.names = self, names
        self.max_length = titles.max_length

    def id_to_token(self, i: int) -> str:
        return self.names[i]
