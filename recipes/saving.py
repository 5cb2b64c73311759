"""How every recipe begins and ends: what it may write, and what it saves."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from models.artifact import Ingredient, Manifest, Provenance, Route, save
from models.calibration import calibrated
from models.classifier import Scores
from models.manifest import Answers
from models.outputs import claim_folder
from models.remark import Remark
from recipes.settings import Calibrating, Saving, path_of
from recipes.telling import logger, say
from scoring.drift import answers_of
from scoring.remarks import of_lengths, of_precision, of_scores, of_temperature
from scoring.temperature import fit_temperature
from scoring.threshold import threshold_for
from titles import LabelledTitles

if TYPE_CHECKING:
    from training.history import History


def claim_model(settings: Saving, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that would cost somebody something, before any work.

    Args:
        inputs: all that is read, files of titles as `[NEWSROOM=]FILE`; but for the lists of labels,
            which the settings name.
    Raises:
        UsageError: see `models.outputs.claim_folder`.
    """
    reading = getattr(settings, "reading", None)
    lists = reading.lists if reading else []
    claim_folder(settings.output, [*map(path_of, inputs), *lists], force=settings.force)


def dev_metrics(history: History) -> dict[str, float]:
    """What the best evaluation of a run gave, and how long the run took."""
    best = {f"dev_{name}": value for name, value in history.best.items() if name != "step"}
    return best | {"training_seconds": round(history.seconds, 1)}


class Calibration(NamedTuple):
    """What a model's scores are turned into before anybody sees them.

    Attributes:
        temperature: makes confidences of them.
        threshold: the confidence below which the answer is "unknown"; 0 = never.
        remarks: what is remarkable about the scores.
        answers: to the dev titles.
    """

    temperature: float
    threshold: float = 0.0
    remarks: tuple[Remark, ...] = ()
    answers: Answers | None = None


def calibrate(
    settings: Calibrating, dev: LabelledTitles, scores: Scores, most: int | None = None
) -> Calibration:
    """Fit both on the dev titles, and tell people what is remarkable about the scores on them.

    Args:
        scores: not calibrated.
        most: tokens of a title that the model reads.
    """
    raw, called, wanted = scores.probabilities, settings.output.name, settings.wanted_precision
    temperature, threshold = fit_temperature(raw, dev.gold), None
    shown = calibrated(raw, dev.titles, temperature)
    if wanted is not None:
        threshold = threshold_for(shown, dev, wanted)
    remarks = say(
        [
            *of_scores(dev, raw, called),
            *of_temperature(temperature, called),
            *of_lengths(dev, scores.truncated, called, most),
            *(of_precision(called, wanted) if wanted is not None and threshold is None else ()),
        ]
    )
    answers = answers_of(shown, dev.titles, dev.labels, threshold or 0.0)
    return Calibration(temperature, threshold or 0.0, tuple(remarks), answers)


def save_model(
    settings: Saving,
    model: Route,
    calibration: Calibration,
    *,
    trained_on: dict[str, Any],
    hyperparameters: dict[str, Any],
    metrics: dict[str, float],
    made_from: Iterable[Ingredient],
    remarks: Iterable[Remark],
) -> Manifest:
    """Write the model's folder, and log what it scores.

    Args:
        remarks: what was said besides, before there were scores.
    """
    provenance = Provenance(
        trained_on,
        hyperparameters,
        metrics,
        tuple(made_from),
        (*remarks, *calibration.remarks),
        calibration.answers,
    )
    manifest = save(
        model,
        settings.output,
        temperature=calibration.temperature,
        threshold=calibration.threshold,
        provenance=provenance,
    )
    shown = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
    logger.info("%s: %s %s  %s", settings.output, manifest.route, manifest.version, shown)
    return manifest
