from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from models import artifact
from models.errors import UsageError
from models.onnx import OnnxClassifier
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.export import input_ranges, to_onnx
from training.compression.low_rank import factorize_layers, ranks_by_budget
from training.compression.pruning import KeptParts, keep_parts

UNEVEN = [
    "股",
    "",
    "球队比赛冠军高考录取分数",
    "新 大学生",
    "🙂",
    "股" * 40,
    "abc" * 30,
    "房价涨幅",
]


@pytest.fixture
def tiny_student(make_student: Callable[..., StudentClassifier]) -> StudentClassifier:
    """One that reads a title's width, as earlier revisions made them: all that there can be."""
    return make_student(reads_width=True)


@pytest.fixture
def int8(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
) -> OnnxClassifier:
    return to_onnx(tiny_student, tmp_path / "model.onnx", three_topics.titles)


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_the_fp32_graph_scores_as_torch_does(
    tmp_path: Path, make_student: Callable[..., StudentClassifier], activation: str
):
    student = make_student(activation, sizes=((4, 64), (2, 40), (1, 8)))

    model = to_onnx(student, tmp_path / "model.onnx")

    expected = student.predict_logits(UNEVEN)
    assert model.predict_logits(UNEVEN) == pytest.approx(expected, abs=1e-5)
    alone = np.concatenate([model.predict_logits([title]) for title in UNEVEN])
    assert alone == pytest.approx(expected, abs=1e-5)


def test_one_layer_is_enough(tmp_path: Path, make_student: Callable[..., StudentClassifier]):
    student = make_student(sizes=((4, 64),))

    model = to_onnx(student, tmp_path / "model.onnx")

    assert model.predict_logits(UNEVEN) == pytest.approx(student.predict_logits(UNEVEN), abs=1e-5)


def test_pruned_and_factorised_students_are_exported(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_parts(tiny_student, [KeptParts(0, [1], range(9)), KeptParts(2, [0, 3], range(8))])
    small = factorize_layers(pruned, ranks_by_budget(pruned, 0.6))

    fp32 = to_onnx(small, tmp_path / "fp32.onnx")
    int8 = to_onnx(small, tmp_path / "int8.onnx", three_topics.titles)

    assert any("in_projection" in name for name in small.config.ranks)
    assert fp32.predict_logits(UNEVEN) == pytest.approx(small.predict_logits(UNEVEN), abs=1e-5)
    expected = small.predict_proba(three_topics.titles)
    assert int8.predict_proba(three_topics.titles) == pytest.approx(expected, abs=0.1)


def test_int8_scores_as_fp32_nearly(
    int8: OnnxClassifier, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    expected = tiny_student.predict_proba(three_topics.titles)

    found = int8.predict_proba(three_topics.titles)

    assert found == pytest.approx(expected, abs=0.1)
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.95


def test_int8_scores_do_not_depend_on_the_batch(int8: OnnxClassifier):
    together = int8.predict_logits(UNEVEN)

    for title, row in zip(UNEVEN, together, strict=True):
        assert (int8.predict_logits([title])[0] == row).all()
    assert (int8.predict_logits(UNEVEN * 9) == np.tile(together, (9, 1))).all()


def test_int8_keeps_no_large_table_in_floats(int8: OnnxClassifier, tiny_student: StudentClassifier):
    constants = onnx.load(int8.graph).graph.initializer

    tables = {tuple(c.dims) for c in constants if c.data_type == onnx.TensorProto.INT8}
    floats = {tuple(c.dims) for c in constants if c.data_type == onnx.TensorProto.FLOAT}
    assert (tiny_student.config.vocab_size, 32) in tables
    large = {shape for shape in floats if len(shape) > 1 and shape[1] > 1}
    assert large == {(16, 32), (194, 32)}  # positions and widths


def test_an_exported_artifact_loads_and_scores_alike(
    tmp_path: Path, int8: OnnxClassifier, three_topics: LabelledTitles
):
    artifact.save(int8, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model").uncalibrated

    assert isinstance(loaded, OnnxClassifier)
    expected = int8.predict_logits(three_topics.titles)
    assert (loaded.predict_logits(three_topics.titles) == expected).all()
    assert loaded.max_length == 16


def test_floats_are_held_to_their_scores_more_closely_than_int8(
    tmp_path: Path, tiny_student: StudentClassifier, int8: OnnxClassifier
):
    fp32 = to_onnx(tiny_student, tmp_path / "fp32.onnx")
    for name, model, tolerance in (("fp32", fp32, 1e-3), ("int8", int8, 0.02)):
        artifact.save(model, tmp_path / name)
        assert artifact.load(tmp_path / name).uncalibrated.probe_tolerance == tolerance


def test_ranges_are_those_of_the_titles_without_padding(tiny_student: StudentClassifier):
    titles = ["股市今日涨", "球队", "高考"]
    name = "encoder.layers.0.attention.in_projection"

    low, high = input_ranges(tiny_student, titles)[name]

    with torch.inference_mode():
        vectors = [
            tiny_student.network.encoder.embedding(torch.tensor([row]))
            for row in tiny_student.tokenizer(titles).ids
        ]
    assert low == min(v.min().item() for v in vectors)
    assert high == max(v.max().item() for v in vectors)


def test_coverage_leaves_the_farthest_titles_out_at_both_ends(tiny_student: StudentClassifier):
    titles = ["股", "市涨", "球队", "高考录", "冠军", "房价涨", "今日", "新的大", "学生", "录取分"]
    name = "encoder.layers.0.attention.in_projection"

    low, high = input_ranges(tiny_student, titles, coverage=0.8)[name]

    each = [input_ranges(tiny_student, [title])[name] for title in titles]
    assert low == pytest.approx(sorted(least for least, _ in each)[1])
    assert high == pytest.approx(sorted(greatest for _, greatest in each)[-2])


def test_less_coverage_never_widens_a_range(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    full = input_ranges(tiny_student, three_topics.titles)
    most = input_ranges(tiny_student, three_topics.titles, coverage=0.8)

    assert all(full[n][0] <= low and high <= full[n][1] for n, (low, high) in most.items())
    assert any(most[name] != full[name] for name in full)


@pytest.mark.parametrize(("titles", "coverage"), [([], 1.0), (["股"], 0.0), (["股"], 1.5)])
def test_int8_needs_titles_and_a_share(
    tiny_student: StudentClassifier, titles: list[str], coverage: float
):
    with pytest.raises(UsageError, match=f"got {len(titles)} titles and {coverage}"):
        input_ranges(tiny_student, titles, coverage)
