import numpy as np
import pytest

from models.calibration import apply_temperature, softmax
from scoring.temperature import fit_temperature


def test_the_temperature_of_overconfident_scores_is_found():
    generator = np.random.default_rng(0)
    honest = softmax(generator.normal(size=(20_000, 4)) * 2)
    gold = np.array([generator.choice(4, p=row / row.sum()) for row in honest.astype(float)])

    overconfident = apply_temperature(honest, 1 / 3)

    assert fit_temperature(overconfident, gold) == pytest.approx(3.0, rel=0.05)
    assert fit_temperature(honest, gold) == pytest.approx(1.0, rel=0.05)
