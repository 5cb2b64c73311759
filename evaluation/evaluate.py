"""Score titles with a model: predictions for every title, and metrics where labels are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.memory import peak_memory_mb
from models.artifact import LoadedModel
from models.calibration import calibrated
from models.errors import DataError
from models.labels import Labels
from models.machine import describe
from recipes.telling import say
from scoring import metrics
from scoring.metrics import Gold
from scoring.newsrooms import mean_of_recalls, newsroom_scores, recall_interval
from scoring.predictions import require_suffix, write_predictions
from scoring.remarks import before_scoring, of_lengths, of_scores
from scoring.store import ScoreStore
from scoring.threshold import answered
from titles import NO_LABEL, LabelledTitles, leaked


def evaluate(
    model: LoadedModel,
    data: LabelledTitles,
    store: ScoreStore,
    predictions_file: Path | None = None,
    training_titles: Iterable[str] | None = None,
    show_progress: bool = True,
) -> dict[str, Any]:
    """Score the titles that `store` does not know, write the predictions, and return the metrics.

    Args:
        data: of the model's classes; some or all titles may have no label.
        predictions_file: `.csv` or `.jsonl`, see `scoring.predictions`.
        training_titles: the score is also given without the titles that occur among these.
    Returns:
        JSON-able: rows, known_rows (those that were not scored now), titles_per_s (of those that
        were; None where there are none), peak_memory_mb, machine, for labelled rows what
        `labelled_metrics` gives, and remarks, which are also logged as soon as they are known.
    Raises:
        DataError: there is no title.
        UsageError: the predictions file has another suffix; nothing is scored then.
    """
    if not len(data):
        raise DataError("no titles; give a file that has some", data.fingerprint.name)
    if predictions_file is not None:
        require_suffix(predictions_file)
    known = np.flatnonzero(data.has_label)
    labelled = data if len(known) == len(data) else data.take(known)
    leaks = None if training_titles is None else leaked(labelled.titles, training_titles)
    remarks = say(before_scoring([model.manifest], labelled, leaks) if len(labelled) else ())
    manifest = model.manifest
    found = store.find(model, data.titles, show_progress)
    scores = calibrated(found.raw, data.titles, manifest.temperature)
    if predictions_file is not None:
        write_predictions(predictions_file, manifest, data, scores)
    cut = found.scores.truncated
    remarks += say(of_lengths(data, cut, manifest.name, manifest.max_length))
    report: dict[str, Any] = {
        "model": {"name": manifest.name, "version": manifest.version},
        "rows": len(data),
        "known_rows": len(data) - found.scored,
        "titles_per_s": round(found.scored / found.seconds, 1) if found.scored else None,
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "machine": describe(),
    }
    if len(labelled):
        raw = found.raw[known]
        report |= {"temperature": manifest.temperature}
        report |= labelled_metrics(labelled, raw, scores[known], leaks)
        report["answered"] = asdict(answered(scores[known], labelled, manifest.threshold))
        remarks += say(of_scores(labelled, raw, manifest.name))
    return report | {"remarks": [asdict(remark) for remark in remarks]}


def labelled_metrics(
    titles: LabelledTitles,
    raw: np.ndarray,
    scores: np.ndarray,
    leaks: np.ndarray | None = None,
) -> dict[str, Any]:
    """The metrics that need gold labels.

    Args:
        titles: all of them labelled.
        raw: (n, classes) probabilities before calibration, which changes no class.
        scores: (n, classes) probabilities as the model shows them.
        leaks: (n,) bool, the titles that occur in the training data; a second score leaves them
            out, and is None where no other title is left.
    Returns:
        JSON-able: what `_of_some_class` and `_of_one_class` give, where there are such titles. Of
        newsrooms' labels also `newsrooms`, a row each, and `macro_recall`, the mean of theirs.
    """
    known, single = titles.in_scope, titles.label_ids != NO_LABEL
    found: dict[str, Any] = {"labelled_rows": len(titles), "interval_95": {}}
    if known.any():
        found |= _of_some_class(raw, scores, titles.gold)
    if single.any():
        found |= _of_one_class(raw[single], scores[single], titles.label_ids[single], titles.labels)
    if titles.newsroom_labels is not None:
        rows = newsroom_scores(scores, titles)
        found["newsrooms"] = [asdict(row) for row in rows]
        if known.any():
            found["macro_recall"] = mean_of_recalls(rows)
            found["interval_95"]["macro_recall"] = recall_interval(scores, titles)
    if leaks is not None:
        found["without_leaks"] = _without_leaks(titles, raw, leaks)
    return found


def _of_some_class(raw: np.ndarray, scores: np.ndarray, gold: Gold) -> dict[str, Any]:
    """Of titles that are of some class, even if it is not known which."""
    return {
        "accuracy": metrics.accuracy(raw, gold),
        "ece_before": metrics.expected_calibration_error(raw, gold),
        "ece_after": metrics.expected_calibration_error(scores, gold),
    }


def _of_one_class(
    raw: np.ndarray, scores: np.ndarray, gold: np.ndarray, labels: Labels
) -> dict[str, Any]:
    """Of titles whose class is known; their intervals are those of all where there is no other."""
    confusion = metrics.confusion_matrix(raw, gold)
    return {
        "macro_f1": metrics.macro_f1(raw, gold),
        "interval_95": metrics.bootstrap_interval(confusion),
        "brier_before": metrics.brier(raw, gold),
        "brier_after": metrics.brier(scores, gold),
        "per_class": [asdict(row) for row in metrics.class_scores(confusion, labels)],
        "confusion_matrix": confusion.tolist(),
    }


def _without_leaks(titles: LabelledTitles, raw: np.ndarray, leaks: np.ndarray) -> dict[str, Any]:
    left = ~leaks & metrics.in_scope(titles.gold)
    single = left & (titles.label_ids != NO_LABEL)
    f1 = metrics.macro_f1(raw[single], titles.label_ids[single]) if single.any() else None
    return {
        "leaked_titles": int(leaks.sum()),
        "accuracy": metrics.accuracy(raw[left], titles.gold[left]) if left.any() else None,
        "macro_f1": f1,
    }
