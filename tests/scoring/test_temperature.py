import numpy as np
import pytest

from models.calibration import apply_temperature, softmax
from scoring.temperature import fit_temperature


def test_timid_scores_are_sharpened_as_far_as_they_need():
    timid = np.tile(softmax(np.array([[0.2, 0.0], [0.0, 0.2]])), (50, 1))
    gold = np.array([0, 1] * 40 + [1, 0] * 10)  # right in 80 of 100

    # log(0.8 / 0.2) is what the logits should differ by
    assert fit_temperature(timid, gold) == pytest.approx(0.2 / np.log(4), rel=1e-2)


def test_the_temperature_stays_within_its_bounds():
    scores = softmax(np.array([[0.1, 0.0], [0.0, 0.1]]))

    assert fit_temperature(scores, [0, 1]) == pytest.approx(0.05, rel=0.01)
    assert fit_temperature(scores, [1, 0]) == pytest.approx(20.0, rel=0.01)


def test_the_temperature_of_overconfident_scores_is_found():
    generator = np.random.default_rng(0)
    honest = softmax(generator.normal(size=(20_000, 4)) * 2)
    gold = np.array([generator.choice(4, p=row / row.sum()) for row in honest.astype(float)])

    overconfident = apply_temperature(honest, 1 / 3)

    assert fit_temperature(overconfident, gold) == pytest.approx(3.0, rel=0.05)
    assert fit_temperature(honest, gold) == pytest.approx(1.0, rel=0.05)
