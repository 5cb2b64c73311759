"""Score a file with a model: predictions for every title, and metrics where labels are known."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from evaluation.memory import peak_memory_mb
from models.artifact import LoadedModel
from models.calibration import apply_temperature
from models.labels import Labels
from models.machine import describe
from scoring import metrics
from scoring.predictions import open_predictions
from titles import LabelledTitles, leaked

CHUNK = 2048


def evaluate(
    model: LoadedModel,
    titles: LabelledTitles | Iterable[str],
    predictions_file: Path | None = None,
    training_titles: Iterable[str] | None = None,
    show_progress: bool = True,
) -> dict[str, Any]:
    """Score titles in chunks, write the predictions, and return the metrics.

    Args:
        titles: with labels, whose ids are the model's, or alone: then they may be more than memory
            holds.
        predictions_file: `.csv`, or `.jsonl`: title, gold, predicted, confidence, all scores.
        training_titles: the score is also given without the titles that occur among these.
    Returns:
        JSON-able: rows, titles_per_s, peak_memory_mb, machine, and for labelled titles accuracy,
        macro_f1, interval_95, per_class, confusion_matrix, ece_before, ece_after, without_leaks.
    """
    labelled = titles if isinstance(titles, LabelledTitles) else None
    kept: list[np.ndarray] = []
    count, seconds = 0, 0.0
    with ExitStack() as stack:
        write = None
        if predictions_file is not None:
            write = stack.enter_context(open_predictions(predictions_file, model.labels))
        bar = stack.enter_context(tqdm(unit="title", disable=not show_progress, mininterval=0.5))
        for chunk in _chunks(labelled.titles if labelled else titles):
            started = time.perf_counter()
            raw = model.uncalibrated.predict_proba(chunk)
            seconds += time.perf_counter() - started
            if write is not None:
                gold = labelled.label_ids[count : count + len(chunk)] if labelled else None
                write(chunk, gold, apply_temperature(raw, model.manifest.temperature))
            if labelled:
                kept.append(raw)
            count += len(chunk)
            bar.update(len(chunk))
    report: dict[str, Any] = {
        "model": {"name": model.manifest.name, "version": model.manifest.version},
        "rows": count,
        "titles_per_s": round(count / seconds, 1) if seconds else None,
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "machine": describe(),
    }
    if labelled:
        leaks = None if training_titles is None else leaked(labelled.titles, training_titles)
        gold, raw = labelled.label_ids, np.concatenate(kept)
        report |= labelled_metrics(model.labels, model.manifest.temperature, gold, raw, leaks)
    return report


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
            out, and is not given where no other title is left.
    """
    predicted = raw.argmax(axis=1)
    confusion = metrics.confusion_matrix(gold, predicted, len(labels))
    calibrated = apply_temperature(raw, temperature)
    found: dict[str, Any] = {
        "labelled_rows": len(gold),
        "accuracy": metrics.accuracy(gold, predicted),
        "macro_f1": metrics.macro_f1(confusion),
        "interval_95": metrics.bootstrap_interval(gold, predicted, len(labels)),
        "ece_before": metrics.expected_calibration_error(raw, gold),
        "ece_after": metrics.expected_calibration_error(calibrated, gold),
        "temperature": temperature,
        "per_class": [asdict(row) for row in metrics.class_scores(confusion, labels)],
        "confusion_matrix": confusion.tolist(),
    }
    if leaks is not None and not leaks.all():
        confusion = metrics.confusion_matrix(gold[~leaks], predicted[~leaks], len(labels))
        found["without_leaks"] = {
            "leaked_titles": int(leaks.sum()),
            "accuracy": metrics.accuracy(gold[~leaks], predicted[~leaks]),
            "macro_f1": metrics.macro_f1(confusion),
        }
    return found


def _chunks(titles: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(titles)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
