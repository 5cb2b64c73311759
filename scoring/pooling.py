"""Find how much weight each model of an ensemble deserves."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from models.ensemble import LEAST
from scoring.metrics import Gold, log_loss


def fit_weights(log_scores: np.ndarray, gold: Gold) -> np.ndarray:
    """The weights of a log-linear pool with the lowest loss on held-out titles, once calibrated.

    Members that judge by different things are surer together than each alone, so how sure the
    pool is stays free: its temperature is fitted afterwards. The mean negative log-likelihood is
    convex in the weights, so there is no other minimum to fall into.

    Args:
        log_scores: (members, n, classes), calibrated log-probabilities.
    Returns:
        (members,) float64, none negative, which sum to 1; equal where no member tells anything.
    """
    log_scores = np.maximum(log_scores.astype(np.float64), np.log(LEAST))
    members = len(log_scores)

    def loss(weights: np.ndarray) -> float:
        return log_loss(softmax(np.tensordot(weights, log_scores, axes=1), axis=1), gold)

    start, bounds = np.full(members, 1 / members), [(0, None)] * members
    weights: np.ndarray = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return weights / weights.sum() if weights.any() else start
