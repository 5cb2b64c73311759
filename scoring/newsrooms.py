"""What a model's scores are worth in each newsroom, whose labels are not the model's classes.

A title is right if the class answered is one that its label may mean. A newsroom's macro recall is
the mean, over those of its labels that mean some class, of the share of their titles that are
right: a label with few titles counts as much as one with many.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from models.calibration import apply_temperature
from scoring.metrics import RESAMPLES, expected_calibration_error, right
from scoring.temperature import fit_temperature
from titles import LabelledTitles

SURE = 0.9
"""A confidence that people act on."""


@dataclass(frozen=True)
class NewsroomScore:
    """What a model is worth in one newsroom; None where it has no titles that could tell.

    Attributes:
        titles: in scope, those of some class.
        outside: titles of none.
        macro_recall: see above.
        calibration_error: expected calibration error of the titles in scope.
        outside_auroc: how well confidence tells titles in scope from those outside; 0.5 is chance.
        outside_sure: share of the titles outside that are answered with 0.9 or more.
    """

    newsroom: str
    titles: int
    outside: int
    accuracy: float | None
    macro_recall: float | None
    calibration_error: float | None
    outside_auroc: float | None
    outside_sure: float | None


def newsroom_scores(scores: np.ndarray, titles: LabelledTitles) -> list[NewsroomScore]:
    """A row a newsroom, in their order.

    Args:
        scores: (n, classes) probabilities as the model shows them.
    """
    labels, hits, weights = titles.by_newsroom, right(scores, titles.may_be), title_weights(titles)
    return [
        _score(newsroom, its, scores, titles, hits, weights)
        for i, newsroom in enumerate(labels.newsrooms)
        if (its := labels.newsroom_ids == i).any()
    ]


def mean_of_recalls(rows: Iterable[NewsroomScore]) -> float:
    """The mean macro recall of the newsrooms that have titles in scope; NaN where none has."""
    recalls = [row.macro_recall for row in rows if row.macro_recall is not None]
    return float(np.mean(recalls)) if recalls else float("nan")


def title_weights(titles: LabelledTitles) -> np.ndarray:
    """(n,): what each title counts in the mean of the newsrooms' macro recalls; sums to 1.

    That mean is Σ weights[right]. Titles that are in no scope count 0.
    """
    known, labels = titles.in_scope, titles.by_newsroom
    pairs = np.column_stack([labels.newsroom_ids, labels.ids])[known]
    kinds, kind_of, titles_of = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    newsrooms, newsroom_of, labels_of = np.unique(
        kinds[:, 0], return_inverse=True, return_counts=True
    )
    weights = np.zeros(len(titles))
    weights[known] = (1 / (len(newsrooms) * labels_of[newsroom_of] * titles_of))[kind_of.ravel()]
    return weights


def recall_interval(
    scores: np.ndarray, titles: LabelledTitles, resamples: int = RESAMPLES, seed: int = 13
) -> tuple[float, float]:
    """95 % percentile interval of the mean of the newsrooms' macro recalls.

    Each label's titles are drawn anew among themselves: how many of n are right is binomial.
    """
    weights, ids = title_weights(titles), titles.by_newsroom.ids
    known = titles.in_scope
    kinds, kind_of, count = np.unique(ids[known], return_inverse=True, return_counts=True)
    hits = np.bincount(kind_of, right(scores, titles.may_be)[known], minlength=len(kinds))
    share = np.bincount(kind_of, weights[known], minlength=len(kinds)) / count
    draws = np.random.default_rng(seed).binomial(count, hits / count, (resamples, len(kinds)))
    low, high = np.percentile(draws @ share, [2.5, 97.5])
    return float(low), float(high)


def auroc(higher: np.ndarray, lower: np.ndarray) -> float:
    """The chance that one drawn of `higher` is above one of `lower`; ties count half.

    Source: Hanley and McNeil 1982, "The Meaning and Use of the Area under a ROC Curve".
    """
    ordered = np.sort(lower)
    below, up_to = (np.searchsorted(ordered, higher, side) for side in ("left", "right"))
    return float((below + up_to).sum() / (2 * len(higher) * len(lower)))


def own_temperature_gain(scores: np.ndarray, titles: LabelledTitles) -> float:
    """By how much a newsroom's own temperature would lower its calibration error.

    Args:
        scores: (n, classes) probabilities as the model shows them, of one newsroom's titles.
    """
    rows = titles.in_scope
    known, gold = scores[rows], titles.may_be[rows]
    own = apply_temperature(known, fit_temperature(known, gold))
    return expected_calibration_error(known, gold) - expected_calibration_error(own, gold)


def _score(
    newsroom: str,
    its: np.ndarray,
    scores: np.ndarray,
    titles: LabelledTitles,
    hits: np.ndarray,
    weights: np.ndarray,
) -> NewsroomScore:
    """Of the titles that are the newsroom's, by `its`, (n,) bool."""
    known, outside = its & titles.in_scope, its & titles.has_label & ~titles.in_scope
    sure, unsure = scores[known].max(axis=1), scores[outside].max(axis=1)
    any_known, any_outside = len(sure) > 0, len(unsure) > 0
    return NewsroomScore(
        newsroom,
        len(sure),
        len(unsure),
        float(hits[known].mean()) if any_known else None,
        float(weights[known] @ hits[known] / weights[known].sum()) if any_known else None,
        expected_calibration_error(scores[known], titles.may_be[known]) if any_known else None,
        auroc(sure, unsure) if any_known and any_outside else None,
        float((unsure >= SURE).mean()) if any_outside else None,
    )
