"""Fit the temperature that makes a model's confidence mean what it says.

Source: Guo et al. 2017, "On Calibration of Modern Neural Networks".
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from models.calibration import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE, apply_temperature
from scoring.metrics import Gold, log_loss


def fit_temperature(probabilities: np.ndarray, gold: Gold) -> float:
    """The temperature with the lowest negative log-likelihood on held-out titles.

    Args:
        probabilities: (titles, classes), not calibrated.
    """

    def loss(log_temperature: float) -> float:
        return log_loss(apply_temperature(probabilities, float(np.exp(log_temperature))), gold)

    bounds = (np.log(LOWEST_TEMPERATURE), np.log(HIGHEST_TEMPERATURE))
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))
