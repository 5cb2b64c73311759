"""Temperature scaling: one number that makes a model's confidence mean what it says.

Source: Guo et al. 2017, "On Calibration of Modern Neural Networks".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.title_text import is_readable

LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 0.05, 20.0
"""Between which one is searched."""
_SMALLEST = np.finfo(np.float32).tiny


def apply_temperature(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """softmax(log p / T): (n, classes) to (n, classes) float32; T = 1 changes nothing.

    Since logits and log-probabilities differ by a constant a row, this is the usual scaling of
    logits, and works for every route, whether it has logits or not.
    """
    if temperature == 1.0:
        return probabilities.astype(np.float32, copy=False)
    # p^(1/T), without its logarithm: the service does this for each request
    powers = np.maximum(probabilities.astype(np.float64), _SMALLEST) ** (1 / temperature)
    scaled: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return scaled.astype(np.float32)


def calibrated(raw: np.ndarray, titles: Sequence[str], temperature: float) -> np.ndarray:
    """What is shown as confidence, (n, classes) float32: of a title that nobody can read, none.

    Args:
        raw: (n, classes) probabilities as a route gives them.
    """
    probabilities = apply_temperature(raw, temperature)
    unreadable = [i for i, title in enumerate(titles) if not is_readable(title)]
    if unreadable:
        probabilities = probabilities.copy()
        probabilities[unreadable] = 1 / raw.shape[1]
    return probabilities


def log_probabilities(probabilities: np.ndarray) -> np.ndarray:
    """Natural logarithms, float64; a probability of 0 counts as the least float32 above it."""
    logs: np.ndarray = np.log(np.maximum(probabilities.astype(np.float64), _SMALLEST))
    return logs


def softmax(logits: np.ndarray) -> np.ndarray:
    """(n, classes) to (n, classes) float32; rows sum to 1."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    probabilities: np.ndarray = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities.astype(np.float32)
