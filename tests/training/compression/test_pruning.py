from pathlib import Path

import numpy as np
import pytest
import torch

from models import artifact
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.low_rank import factorize_layers
from training.compression.pruning import KeptParts, keep_layers, keep_parts

ALL = [KeptParts(i, range(4), range(64)) for i in range(3)]


def test_with_nothing_removed_the_scores_are_identical(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_parts(tiny_student, ALL)

    expected = tiny_student.predict_logits(three_topics.titles)
    assert (pruned.predict_logits(three_topics.titles) == expected).all()


def test_removing_heads_equals_masking_them(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_parts(tiny_student, [KeptParts(0, [1, 3], range(64)), *ALL[1:]])
    attention = tiny_student.network.encoder.layers[0].attention
    with torch.no_grad():
        for head in (0, 2):
            attention.out_projection.weight[:, 8 * head : 8 * (head + 1)] = 0.0

    masked = tiny_student.predict_logits(three_topics.titles)
    assert pruned.predict_logits(three_topics.titles) == pytest.approx(masked, abs=1e-5)
    layer = pruned.config.layers[0]
    assert (layer.num_heads, layer.head_dim) == (2, 8)


def test_removing_neurons_equals_silencing_them(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    kept = range(0, 64, 2)
    pruned = keep_parts(tiny_student, [*ALL[:2], KeptParts(2, range(4), kept)])
    with torch.no_grad():
        tiny_student.network.encoder.layers[2].feed_forward.narrow.weight[:, 1::2] = 0.0

    silenced = tiny_student.predict_logits(three_topics.titles)
    assert pruned.predict_logits(three_topics.titles) == pytest.approx(silenced, abs=1e-5)
    assert pruned.config.layers[2].d_ff == 32


def test_kept_layers_follow_one_another(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_layers(tiny_student, [0, 2])

    del tiny_student.network.encoder.layers[1]
    expected = tiny_student.predict_logits(three_topics.titles)
    assert pruned.predict_logits(three_topics.titles) == pytest.approx(expected, abs=1e-6)


def test_a_pruned_student_is_smaller_and_loads_from_its_folder(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    kept = [KeptParts(0, [2], [0, 9]), KeptParts(2, [0, 1, 3], range(20))]
    pruned = keep_parts(tiny_student, kept)
    artifact.save(tiny_student, tmp_path / "before")
    artifact.save(pruned, tmp_path / "after")

    loaded = artifact.load(tmp_path / "after")

    expected = pruned.predict_proba(three_topics.titles)
    assert (loaded.predict_proba(three_topics.titles) == expected).all()
    before, after = (
        (tmp_path / name / "model.safetensors").stat().st_size for name in ("before", "after")
    )
    assert after < before / 2


def test_the_student_given_stays_as_it_is(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    before = tiny_student.predict_logits(three_topics.titles)

    keep_parts(tiny_student, [KeptParts(1, [0], [0])])

    assert (tiny_student.predict_logits(three_topics.titles) == before).all()


@pytest.mark.parametrize(
    ("heads", "left"), [([0, 1, 2], {8}), ([0], set())], ids=["stays factorised", "is made whole"]
)
def test_a_factorised_layer_is_cut_too(
    tiny_student: StudentClassifier, three_topics: LabelledTitles, heads: list[int], left: set[int]
):
    name = "encoder.layers.0.attention.out_projection"
    factorised = factorize_layers(tiny_student, {name: 8})

    pruned = keep_parts(factorised, [KeptParts(0, heads, range(64)), *ALL[1:]])

    first = factorised.network.encoder.layers[0].attention.out_projection[0]
    with torch.no_grad():
        first.weight[:, 8 * len(heads) :] = 0.0
    masked = factorised.predict_logits(three_topics.titles)
    assert pruned.predict_logits(three_topics.titles) == pytest.approx(masked, abs=1e-5)
    assert set(pruned.config.ranks.values()) == left
    assert np.isfinite(masked).all()
