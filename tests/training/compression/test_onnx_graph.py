import numpy as np
import onnxruntime
import pytest

from models.student import StudentClassifier
from training.compression.onnx_graph import affine, build, quantize_rows


def test_the_graphs_inputs_and_output_have_names_and_types(tiny_student: StudentClassifier):
    graph = build(tiny_student.network).SerializeToString()
    session = onnxruntime.InferenceSession(graph)

    assert [(i.name, i.type) for i in session.get_inputs()] == [
        ("input_ids", "tensor(int32)"),
        ("lengths", "tensor(int32)"),
    ]
    assert session.get_outputs()[0].shape == ["batch", 3]


def test_rows_are_quantised_by_their_own_largest_value():
    rows, scales = quantize_rows(np.array([[1.27, -0.635, 0.0], [0.0, 0.0, 0.0]], np.float32))

    assert rows.tolist() == [[127, -64, 0], [0, 0, 0]]
    assert scales == pytest.approx([0.01, 1.0])


@pytest.mark.parametrize(
    ("limits", "scale", "zero"),
    [((-1.0, 1.55), 0.01, 100), ((0.5, 2.55), 0.01, 0), ((-2.55, -1.0), 0.01, 255), ((0, 0), 1, 0)],
)
def test_zero_is_hit_exactly(limits: tuple[float, float], scale: float, zero: int):
    found_scale, found_zero = affine(limits)

    assert found_scale == pytest.approx(scale)
    assert found_zero == zero
