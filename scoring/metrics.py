"""What a model's scores are worth: accuracy, F1, log-loss, Brier, calibration, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.calibration import log_probabilities
from models.labels import Labels

Gold = Sequence[int] | np.ndarray
"""(n,) class ids; or (n, classes) bool, the classes that each title may be of, where those that may
be of none are left out."""
CALIBRATION_BINS = 15
RESAMPLES = 2000


def accuracy(probabilities: np.ndarray, gold: Gold) -> float:
    """Share of the titles whose most probable class is theirs, or one that they may be of.

    Args:
        probabilities: (n, classes); logarithms of them serve as well.
    """
    found, known = right(probabilities, gold), in_scope(gold)
    return float(found[known].mean())


def right(probabilities: np.ndarray, gold: Gold) -> np.ndarray:
    """(n,) bool: whose most probable class is theirs, or one that they may be of.

    Args:
        probabilities: (n, classes); logarithms of them serve as well.
    """
    predicted, given = probabilities.argmax(axis=1), np.asarray(gold)
    if given.ndim == 1:
        return np.asarray(predicted == given)
    found: np.ndarray = given[np.arange(len(given)), predicted]
    return found


def in_scope(gold: Gold) -> np.ndarray:
    """(n,) bool: which titles may be of some class; (n,) class ids are all of one."""
    given = np.asarray(gold)
    return np.ones(len(given), bool) if given.ndim == 1 else np.asarray(given.any(axis=1))


def macro_f1(probabilities: np.ndarray, gold: Sequence[int] | np.ndarray) -> float:
    """Mean F1 of the classes that occur in gold or predictions, as scikit-learn takes it.

    Args:
        probabilities: (n, classes); logarithms of them serve as well.
        gold: (n,) class ids.
    """
    return _macro_f1(confusion_matrix(probabilities, gold))


def log_loss(probabilities: np.ndarray, gold: Gold) -> float:
    """Mean negative log-likelihood of the gold classes, in nats; 0 is perfect.

    Of a title that may be of several classes, that of the sum of their probabilities.

    Args:
        probabilities: (n, classes); 0 counts as in `models.calibration.log_probabilities`.
    """
    gold = np.asarray(gold)
    if gold.ndim == 1:
        of_gold = probabilities[np.arange(len(gold)), gold]
    else:
        of_gold = np.where(gold, probabilities, 0).sum(axis=1)[in_scope(gold)]
    return float(-log_probabilities(of_gold).mean())


def brier(probabilities: np.ndarray, gold: Sequence[int] | np.ndarray) -> float:
    """Mean over the titles of Σ_c (p_c - [c is gold])²: from 0, perfect, to 2.

    Args:
        probabilities: (n, classes).
        gold: (n,) class ids.
    Source: Brier 1950, "Verification of Forecasts Expressed in Terms of Probability".
    """
    off = probabilities.astype(np.float64)
    off[np.arange(len(gold)), gold] -= 1
    return float(np.square(off).sum(axis=1).mean())


def confusion_matrix(probabilities: np.ndarray, gold: Sequence[int] | np.ndarray) -> np.ndarray:
    """(classes, classes) counts: row = gold class, column = predicted class.

    Args:
        probabilities: (n, classes).
        gold: (n,) class ids.
    """
    classes = probabilities.shape[1]
    cells = np.asarray(gold, dtype=np.int64) * classes + probabilities.argmax(axis=1)
    return np.bincount(cells, minlength=classes * classes).reshape(classes, classes)


@dataclass(frozen=True)
class ClassScore:
    """Precision, recall and F1 of one class; 0 where nothing was predicted or nothing is there."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


def class_scores(confusion: np.ndarray, labels: Labels) -> list[ClassScore]:
    """One row a class, in the labels' order.

    Args:
        confusion: what `confusion_matrix` counts.
    """
    right = np.diag(confusion).astype(float)
    precision = _divide(right, confusion.sum(axis=0))
    recall = _divide(right, confusion.sum(axis=1))
    f1 = _divide(2 * precision * recall, precision + recall)
    return [
        ClassScore(name, float(p), float(r), float(f), int(n))
        for name, p, r, f, n in zip(
            labels.names, precision, recall, f1, confusion.sum(axis=1), strict=True
        )
    ]


@dataclass(frozen=True)
class ReliabilityBin:
    """The titles whose confidence lies in (low, high], and how often they are right."""

    low: float
    high: float
    titles: int
    confidence: float
    accuracy: float


def reliability_bins(
    probabilities: np.ndarray, gold: Gold, bins: int = CALIBRATION_BINS
) -> list[ReliabilityBin]:
    """Confidence against accuracy in bins of equal width; empty bins are left out.

    Args:
        probabilities: (n, classes).
    """
    known = in_scope(gold)
    confidence, is_right = probabilities.max(axis=1)[known], right(probabilities, gold)[known]
    bin_of = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    return [
        ReliabilityBin(
            low=i / bins,
            high=(i + 1) / bins,
            titles=int(inside.sum()),
            confidence=float(confidence[inside].mean()),
            accuracy=float(is_right[inside].mean()),
        )
        for i in range(bins)
        if (inside := bin_of == i).any()
    ]


def expected_calibration_error(
    probabilities: np.ndarray, gold: Gold, bins: int = CALIBRATION_BINS
) -> float:
    """Mean distance of confidence from accuracy over bins of equal width (Guo et al. 2017).

    Args:
        probabilities: (n, classes).
    """
    filled = reliability_bins(probabilities, gold, bins)
    apart = sum(row.titles * abs(row.confidence - row.accuracy) for row in filled)
    return apart / sum(row.titles for row in filled)


def bootstrap_interval(
    confusion: np.ndarray, resamples: int = RESAMPLES, seed: int = 13
) -> dict[str, tuple[float, float]]:
    """95 % percentile intervals of `accuracy` and `macro_f1`, from resampled confusion matrices.

    Drawing n titles with replacement is drawing the cells of the confusion matrix from a
    multinomial distribution, which costs the same for ten titles and ten million.

    Args:
        confusion: what `confusion_matrix` counts.
    """
    cells, titles = confusion.reshape(-1), int(confusion.sum())
    draws = np.random.default_rng(seed).multinomial(titles, cells / titles, size=resamples)
    matrices = draws.reshape(resamples, *confusion.shape)
    accuracies = np.trace(matrices, axis1=1, axis2=2) / titles
    f1s = np.array([_macro_f1(matrix) for matrix in matrices])
    return {"accuracy": _percentiles(accuracies), "macro_f1": _percentiles(f1s)}


def _macro_f1(confusion: np.ndarray) -> float:
    present = (confusion.sum(axis=0) + confusion.sum(axis=1)) > 0
    f1 = _divide(2 * np.diag(confusion), confusion.sum(axis=0) + confusion.sum(axis=1))
    return float(f1[present].mean())


def _percentiles(values: np.ndarray) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Element-wise, 0 where `below` is 0."""
    shares: np.ndarray = np.divide(above, below, out=np.zeros(len(above)), where=below != 0)
    return shares
