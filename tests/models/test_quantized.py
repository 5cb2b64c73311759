from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.errors import CorruptArtifact
from models.quantized import QuantizedEmbedding, QuantizedStudentClassifier
from models.student import StudentClassifier
from training.compression.quantization import to_int8


def test_a_quantised_table_looks_vectors_up_up_to_half_a_step():
    table = QuantizedEmbedding(
        torch.tensor([[127, -64], [0, 1]], dtype=torch.int8), torch.tensor([0.5, 2.0])
    )

    vectors = table(torch.tensor([[1, 0, 1]]))

    assert vectors.tolist() == [[[0.0, 2.0], [63.5, -32.0], [0.0, 2.0]]]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda t: t.pop("pooler.rows"), "pooler.rows"),
        (lambda t: t.pop("encoder.layers.0.attention_connection.norm.beta"), "norm.beta"),
        (lambda t: t.update({"pooler.rows": t["pooler.rows"][:9].clone()}), "pooler.rows is"),
        (lambda t: t.update({"stray": torch.ones(1)}), "stray"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(
    tmp_path: Path, tiny_student: StudentClassifier, damage, message: str
):
    to_int8(tiny_student).save_files(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    damage(tensors)
    save_file(tensors, tmp_path / "model.safetensors")

    with pytest.raises(CorruptArtifact, match=message):
        QuantizedStudentClassifier.load_files(tmp_path, tiny_student.labels, 16)
