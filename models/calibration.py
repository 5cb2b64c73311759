"""Temperature scaling: one number that makes a model's confidence mean what it says.

Source: Guo et al. 2017, "On Calibration of Modern Neural Networks".
"""

from __future__ import annotations

import numpy as np

_SMALLEST = np.finfo(np.float32).tiny


def apply_temperature(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """softmax(log p / T): (n, classes) to (n, classes) float32; T = 1 changes nothing.

    Since logits and log-probabilities differ by a constant a row, this is the usual scaling of
    logits, and works for every route, whether it has logits or not.
    """
    if temperature == 1.0:
        return probabilities.astype(np.float32, copy=False)
    return softmax(log_probabilities(probabilities) / temperature)


def log_probabilities(probabilities: np.ndarray) -> np.ndarray:
    """Natural logarithms, float64; a probability of 0 counts as the least float32 above it."""
    logs: np.ndarray = np.log(np.maximum(probabilities.astype(np.float64), _SMALLEST))
    return logs


def softmax(logits: np.ndarray) -> np.ndarray:
    """(n, classes) to (n, classes) float32; rows sum to 1."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    probabilities: np.ndarray = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities.astype(np.float32)
