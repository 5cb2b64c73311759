import pytest
import torch

from models.errors import UsageError
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.importance import LayerImportance
from training.compression.pruning import KeptParts
from training.compression.selection import (
    keep_most_important,
    most_important,
    most_important_layers,
    sample,
)

RANKING = [
    LayerImportance(torch.tensor([3.0, 1.0, 2.0]), torch.tensor([1.0, 9.0, 5.0, 7.0])),
    LayerImportance(torch.tensor([0.1, 0.3, 0.2]), torch.tensor([4.0, 1.0, 2.0, 3.0])),
]


def test_each_layer_keeps_its_own_most_important_parts():
    assert most_important(RANKING, heads=2, d_ff=2) == [
        KeptParts(0, [0, 2], [1, 3]),
        KeptParts(1, [1, 2], [0, 3]),
    ]


def test_what_is_not_asked_for_stays_whole():
    assert most_important(RANKING, heads=None, d_ff=1)[0] == KeptParts(0, [0, 1, 2], [1])


def test_ranked_over_all_layers_the_counts_are_averages_and_each_layer_keeps_one():
    uneven = [
        LayerImportance(torch.tensor([1.0, 1.0, 1.0]), torch.ones(2)),
        LayerImportance(torch.tensor([9.0, 0.1, 0.2]), torch.ones(2)),
    ]

    kept = most_important(uneven, heads=2, d_ff=None, by_layer=False)

    assert [layer.heads for layer in kept] == [[0, 1, 2], [0]]


def test_ranked_over_all_layers_each_layers_importance_counts_by_its_norm():
    small, large = torch.tensor([0.03, 0.02, 0.01]), torch.tensor([100.0, 10.0, 9.0])
    scales = [LayerImportance(small, torch.ones(2)), LayerImportance(large, torch.ones(2))]

    kept = most_important(scales, heads=2, d_ff=None, by_layer=False)

    # divided by their norms: 0.80, 0.53, 0.27 and 0.99, 0.10, 0.09
    assert [layer.heads for layer in kept] == [[0, 1, 2], [0]]


@pytest.mark.parametrize("count", [0, 4])
def test_more_than_there_is_or_nothing_cannot_be_kept(count: int):
    with pytest.raises(UsageError, match=f"{count} heads cannot be kept; the model has 1 to 3"):
        most_important(RANKING, heads=count, d_ff=None)


def test_a_layer_that_does_nothing_goes_first(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    layer = tiny_student.network.encoder.layers[1]
    with torch.no_grad():
        for linear in (layer.attention.out_projection, layer.feed_forward.narrow):
            linear.weight.zero_()
            linear.bias.zero_()
        for connection in (layer.attention_connection, layer.feed_forward_connection):
            connection.norm.gamma.fill_(1.0)
            connection.norm.beta.zero_()
        below = tiny_student.network.encoder.layers[0].feed_forward_connection.norm
        below.gamma.fill_(1.0)
        below.beta.zero_()
    gold = tiny_student.predict_proba(three_topics.titles).argmax(axis=1)
    examples = LabelledTitles.of(three_topics.titles, gold, three_topics.labels)

    kept = most_important_layers(tiny_student, examples, 2)

    assert kept == [0, 2]


def test_a_student_is_cut_to_the_sizes_asked_for(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_most_important(tiny_student, three_topics, heads=3, d_ff=20, layers=2)

    assert [(c.num_heads, c.d_ff) for c in pruned.config.layers] == [(3, 20)] * 2


def test_across_layers_the_sizes_differ_and_their_sum_is_kept(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    tiny_student.network.encoder.layers[0].feed_forward.narrow.weight.data[:, :50] *= 0.01

    pruned = keep_most_important(tiny_student, three_topics, d_ff=32, by_layer=False)

    widths = [config.d_ff for config in pruned.config.layers]
    assert sum(widths) == 3 * 32
    assert widths[0] < min(widths[1:])
    assert [config.num_heads for config in pruned.config.layers] == [4, 4, 4]


def test_layers_may_be_named(tiny_student: StudentClassifier, three_topics: LabelledTitles):
    pruned = keep_most_important(tiny_student, three_topics, layers=[0, 2])

    top = pruned.network.encoder.layers[1].feed_forward.widen.weight
    assert (top == tiny_student.network.encoder.layers[2].feed_forward.widen.weight).all()
    with pytest.raises(UsageError, match=r"layers \[0, 3\] cannot be kept; the model has 0 to 2"):
        keep_most_important(tiny_student, three_topics, layers=[0, 3])


def test_a_sample_is_drawn_with_its_labels(three_topics: LabelledTitles):
    drawn = sample(three_topics, 10)

    labels = dict(zip(three_topics.titles, three_topics.label_ids, strict=True))
    assert len(set(drawn.titles)) == 10
    assert [labels[title] for title in drawn.titles] == drawn.label_ids.tolist()
    assert len(set(drawn.label_ids)) == 3
    assert drawn.content_sha256 == sample(three_topics, 10).content_sha256
    assert sorted(sample(three_topics, 100).titles) == sorted(three_topics.titles)
