import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.calibration import apply_temperature, softmax


@given(
    logits=st.lists(st.floats(-20, 20), min_size=2, max_size=6),
    temperature=st.floats(0.1, 10),
)
def test_scaling_probabilities_is_scaling_logits(logits: list[float], temperature: float):
    row = np.array([logits])

    scaled = apply_temperature(softmax(row), temperature)

    assert scaled == pytest.approx(softmax(row / temperature), abs=1e-5)
    assert scaled.sum() == pytest.approx(1, abs=1e-6)
    assert scaled.dtype == np.float32


def test_temperature_one_changes_nothing():
    probabilities = np.array([[0.25, 0.75]], dtype=np.float32)

    assert apply_temperature(probabilities, 1.0) is probabilities


def test_a_probability_of_zero_stays_finite():
    assert apply_temperature(np.array([[1.0, 0.0]]), 2.0) == pytest.approx(
        np.array([[1.0, 0.0]]), abs=1e-12
    )


def test_softmax_equals_torchs_and_survives_large_logits():
    logits = np.array([[1000.0, 999.0, 0.0]])

    expected = torch.tensor(logits).softmax(dim=1).numpy()
    assert softmax(logits) == pytest.approx(expected, abs=1e-7)
