"""Score a file with a model: predictions for every title, and metrics where labels are known."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
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
from titles import Row, leaked

CHUNK = 2048


@dataclass
class Scores:
    """The predictions of a labelled file, as far as the metrics need them."""

    gold: list[int] = field(default_factory=list)
    raw: list[np.ndarray] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)


def evaluate(
    model: LoadedModel,
    rows: Iterable[Row],
    predictions_file: Path | None = None,
    training_titles: Iterable[str] | None = None,
    show_progress: bool = True,
) -> dict[str, Any]:
    """Score `rows` in chunks, write the predictions, and return the metrics.

    Args:
        rows: titles, with or without labels; a file larger than memory is fine without labels.
        predictions_file: `.csv`, or `.jsonl`: title, gold, predicted, confidence, all scores.
        training_titles: the score is also given without the titles that occur among these.
    Returns:
        JSON-able: rows, titles_per_s, peak_memory_mb, machine, and for labelled rows accuracy,
        macro_f1, interval_95, per_class, confusion_matrix, ece_before, ece_after, without_leaks.
    """
    scores = Scores()
    count, seconds = 0, 0.0
    with ExitStack() as stack:
        write = None
        if predictions_file is not None:
            write = stack.enter_context(open_predictions(predictions_file, model.labels))
        bar = stack.enter_context(tqdm(unit="title", disable=not show_progress, mininterval=0.5))
        for chunk in _chunks(rows):
            titles = [row.title for row in chunk]
            started = time.perf_counter()
            raw = model.uncalibrated.predict_proba(titles)
            seconds += time.perf_counter() - started
            if write is not None:
                write(chunk, apply_temperature(raw, model.manifest.temperature))
            _keep_labelled(scores, chunk, raw)
            count += len(chunk)
            bar.update(len(chunk))
    report: dict[str, Any] = {
        "model": {"name": model.manifest.name, "version": model.manifest.version},
        "rows": count,
        "titles_per_s": round(count / seconds, 1) if seconds else None,
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "machine": describe(),
    }
    if scores.gold:
        leaks = None if training_titles is None else leaked(scores.titles, training_titles)
        gold, raw = np.array(scores.gold), np.concatenate(scores.raw)
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


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _keep_labelled(scores: Scores, chunk: Sequence[Row], raw: np.ndarray) -> None:
    labelled = [i for i, row in enumerate(chunk) if row.label is not None]
    if labelled:
        scores.gold += [chunk[i].label for i in labelled]  # type: ignore[misc]
        scores.titles += [chunk[i].title for i in labelled]
        scores.raw.append(raw[labelled])
