import pytest
import torch
from torch.nn import functional as F

from models.labels import Labels
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.importance import importance

TITLE = LabelledTitles.of(["股市今日涨"], [0], Labels.of(["stocks", "sports", "education"]))


def _loss(student: StudentClassifier) -> torch.Tensor:
    ids = torch.tensor(student.tokenizer(TITLE.titles).ids)
    return F.cross_entropy(student.network(ids), torch.tensor(TITLE.label_ids))


def test_a_neurons_importance_is_the_gradient_times_its_outgoing_weights(
    tiny_student: StudentClassifier,
):
    _loss(tiny_student).backward()
    weight = tiny_student.network.encoder.layers[1].feed_forward.narrow.weight
    expected = (weight * weight.grad).sum(dim=0).abs()

    torch.testing.assert_close(importance(tiny_student, TITLE)[1].neurons, expected.detach())


def test_a_heads_importance_is_how_fast_the_loss_changes_as_its_gate_closes(
    tiny_student: StudentClassifier,
):
    found = importance(tiny_student, TITLE)[0].heads
    weight = tiny_student.network.double().encoder.layers[0].attention.out_projection.weight
    before, step = _loss(tiny_student), 1e-5
    for head in range(4):
        columns = weight.data[:, 8 * head : 8 * (head + 1)]
        columns *= 1 + step
        slope = (_loss(tiny_student) - before) / step
        columns /= 1 + step
        assert found[head].item() == pytest.approx(abs(slope.item()), rel=1e-3, abs=1e-6)


def test_importance_is_the_mean_over_titles_whatever_their_batch(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    together = importance(tiny_student, three_topics)

    alone = [importance(tiny_student, three_topics.take([i])) for i in range(len(three_topics))]
    for i, layer in enumerate(together):
        for part in ("heads", "neurons"):
            mean = torch.stack([getattr(each[i], part) for each in alone]).mean(dim=0)
            torch.testing.assert_close(getattr(layer, part), mean, rtol=1e-4, atol=1e-6)


def test_a_silent_head_has_no_importance(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    with torch.no_grad():
        tiny_student.network.encoder.layers[2].attention.out_projection.weight[:, :8] = 0.0

    heads = importance(tiny_student, three_topics)[2].heads

    assert heads[0] == 0
    assert (heads[1:] > 0).all()
