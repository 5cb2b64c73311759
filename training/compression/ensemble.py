"""Find how much weight each model of an ensemble deserves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from models.artifact import LoadedModel
from models.ensemble import LEAST


def fit_weights(log_scores: np.ndarray, gold: Sequence[int]) -> np.ndarray:
    """The weights of a log-linear pool with the lowest loss on held-out titles, once calibrated.

    Members that judge by different things are surer together than each alone, so how sure the
    pool is stays free: its temperature is fitted afterwards. The mean negative log-likelihood is
    convex in the weights, so there is no other minimum to fall into.

    Args:
        log_scores: (members, n, classes), calibrated log-probabilities.
        gold: (n,) class ids.
    Returns:
        (members,) float64, none negative, which sum to 1.
    """
    log_scores = np.maximum(log_scores.astype(np.float64), np.log(LEAST))
    members, rows = len(log_scores), np.arange(len(gold))

    def loss(weights: np.ndarray) -> float:
        pooled = log_softmax(np.tensordot(weights, log_scores, axes=1), axis=1)
        return float(-pooled[rows, gold].mean())

    start, bounds = np.full(members, 1 / members), [(0, None)] * members
    weights: np.ndarray = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return weights / weights.sum()


def name_members(models: Sequence[LoadedModel]) -> dict[str, LoadedModel]:
    """The models by name; of those that share one, the second is `name-2`, and so on."""
    named: dict[str, LoadedModel] = {}
    for model in models:
        name, number = model.manifest.name, 1
        while name in named:
            number += 1
            name = f"{model.manifest.name}-{number}"
        named[name] = model
    return named
