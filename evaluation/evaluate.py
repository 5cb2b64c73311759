"""Score titles with a model: predictions for every title, and metrics where labels are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.memory import peak_memory_mb
from models.artifact import LoadedModel
from models.calibration import apply_temperature
from models.errors import DataError
from models.labels import Labels
from models.machine import describe
from recipes.saving import say
from scoring import metrics
from scoring.predictions import require_suffix, write_predictions
from scoring.remarks import before_scoring, of_scores
from scoring.store import ScoreStore
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
    known = np.flatnonzero(data.label_ids != NO_LABEL)
    labelled = data if len(known) == len(data) else data.take(known)
    leaks = None if training_titles is None else leaked(labelled.titles, training_titles)
    remarks = say(before_scoring([model.manifest], labelled, leaks) if len(labelled) else ())
    raw, scored, seconds = store.find(model, data.titles, show_progress)
    if predictions_file is not None:
        scores = apply_temperature(raw, model.manifest.temperature)
        write_predictions(predictions_file, model.manifest, data, scores)
    report: dict[str, Any] = {
        "model": {"name": model.manifest.name, "version": model.manifest.version},
        "rows": len(data),
        "known_rows": len(data) - scored,
        "titles_per_s": round(scored / seconds, 1) if scored else None,
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "machine": describe(),
    }
    if len(labelled):
        gold, temperature = labelled.label_ids, model.manifest.temperature
        report |= labelled_metrics(model.labels, temperature, gold, raw[known], leaks)
        remarks += say(of_scores(labelled, raw[known], model.manifest.name))
    return report | {"remarks": [asdict(remark) for remark in remarks]}


def labelled_metrics(
    labels: Labels,
    temperature: float,
    gold: np.ndarray,
    raw: np.ndarray,
    leaks: np.ndarray | None = None,
) -> dict[str, Any]:
    """The metrics that need gold labels.

    Args:
        temperature: the model's; it changes the calibration alone.
        gold: (n,) class ids.
        raw: (n, classes) probabilities before the temperature is applied.
        leaks: (n,) bool, the titles that occur in the training data; a second score leaves them
            out, and is None where no other title is left.
    """
    confusion = metrics.confusion_matrix(raw, gold)
    calibrated = apply_temperature(raw, temperature)
    found: dict[str, Any] = {
        "labelled_rows": len(gold),
        "accuracy": metrics.accuracy(raw, gold),
        "macro_f1": metrics.macro_f1(raw, gold),
        "interval_95": metrics.bootstrap_interval(confusion),
        "ece_before": metrics.expected_calibration_error(raw, gold),
        "ece_after": metrics.expected_calibration_error(calibrated, gold),
        "brier_before": metrics.brier(raw, gold),
        "brier_after": metrics.brier(calibrated, gold),
        "temperature": temperature,
        "per_class": [asdict(row) for row in metrics.class_scores(confusion, labels)],
        "confusion_matrix": confusion.tolist(),
    }
    if leaks is not None:
        left = not leaks.all()
        found["without_leaks"] = {
            "leaked_titles": int(leaks.sum()),
            "accuracy": metrics.accuracy(raw[~leaks], gold[~leaks]) if left else None,
            "macro_f1": metrics.macro_f1(raw[~leaks], gold[~leaks]) if left else None,
        }
    return found
