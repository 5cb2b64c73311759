import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from models import artifact
from models.quantized import QuantizedStudentClassifier
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.low_rank import factorize_layers, ranks_by_budget
from training.compression.pruning import KeptParts, keep_parts
from training.compression.quantization import to_int8


@pytest.fixture
def tiny_student(make_student: Callable[..., StudentClassifier]) -> StudentClassifier:
    """One that reads a title's width, as earlier revisions made them: all that there can be."""
    return make_student(reads_width=True)


def test_int8_scores_as_fp32_nearly(tiny_student: StudentClassifier, three_topics: LabelledTitles):
    expected = tiny_student.predict_proba(three_topics.titles)

    found = to_int8(tiny_student).predict_proba(three_topics.titles)

    assert found == pytest.approx(expected, abs=0.05)
    assert (found != expected).any()
    assert (tiny_student.predict_proba(three_topics.titles) == expected).all()


def test_a_round_trip_through_the_folder_changes_no_score(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    pruned = keep_parts(tiny_student, [KeptParts(0, [1], range(9)), KeptParts(2, [0, 3], range(8))])
    quantized = to_int8(factorize_layers(pruned, ranks_by_budget(pruned, 0.6)))
    artifact.save(quantized, tmp_path / "int8")

    loaded = artifact.load(tmp_path / "int8")

    assert isinstance(loaded.uncalibrated, QuantizedStudentClassifier)
    expected = quantized.predict_logits(three_topics.titles)
    assert (loaded.uncalibrated.predict_logits(three_topics.titles) == expected).all()
    assert quantized.config.ranks


def test_the_file_holds_int8_rows_and_their_scales(tmp_path: Path, tiny_student: StudentClassifier):
    artifact.save(tiny_student, tmp_path / "fp32")
    artifact.save(to_int8(tiny_student), tmp_path / "int8")

    tensors = load_file(tmp_path / "int8" / "model.safetensors")

    widen = "encoder.layers.0.feed_forward.widen"
    tokens = "encoder.embedding.tokens"
    assert {tensors[f"{name}.rows"].dtype for name in (widen, tokens)} == {torch.int8}
    assert tensors[f"{widen}.scales"].shape == (64,)
    weight = tiny_student.network.get_submodule(widen).weight
    rebuilt = tensors[f"{widen}.rows"] * tensors[f"{widen}.scales"][:, None]
    assert ((rebuilt - weight).abs() <= tensors[f"{widen}.scales"][:, None] * 0.51).all()
    large = {name for name, t in tensors.items() if t.dtype != torch.int8 and t.ndim > 1}
    embedding = "encoder.embedding"
    positions, segments = f"{embedding}.positions.table", f"{embedding}.segments.weight"
    assert large == {positions, segments, "width.table.weight"}


def test_no_warning_of_the_deprecated_calls_is_shown(
    tmp_path: Path, tiny_student: StudentClassifier
):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        artifact.save(to_int8(tiny_student), tmp_path / "int8")
        artifact.load(tmp_path / "int8")


def test_a_title_longer_than_the_students_positions_is_cut(tiny_student: StudentClassifier):
    quantized = to_int8(tiny_student)

    scores = quantized.predict_proba(["股" * 40, "a"])

    assert quantized.score(["股" * 40, "a"]).truncated.tolist() == [True, False]
    assert np.isfinite(scores).all()
