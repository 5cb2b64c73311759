"""`biaoti quantize` and `biaoti export`: the same model in another form."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import numpy as np

from models.artifact import PROBE_TITLES, Manifest, Route, load
from models.bounds import Bounds, PositiveShare
from models.errors import ArtifactError
from models.student import StudentClassifier
from recipes.ingredients import data_ingredient, model_ingredient, named
from recipes.lessons import read_labelled
from recipes.saving import Calibration, calibrate, claim_model, save_model
from recipes.settings import (
    Calibrating,
    FolderArgument,
    NewsroomFiles,
    OptionalFile,
    Reading,
    Saving,
)
from recipes.telling import say
from scoring.gate import gate
from scoring.metrics import accuracy
from scoring.remarks import of_absent, of_few, of_origin
from titles import read_titles
from training.compression.conversion import as_student
from training.compression.export import CALIBRATION_TITLES, to_onnx
from training.compression.quantization import to_int8

TOLERANCE = 1e-4
"""Greatest difference of a probe title's score between torch and the exported graph."""
_SEED = 13


@dataclass(frozen=True, kw_only=True)
class Quantize(Calibrating):
    """Turn an encoder or a student into int8, and refuse to write it if it lost too much.

    onnx: for ONNX Runtime, without torch; the ranges of its layers' inputs are measured once, on
    calibration titles, so a title's scores do not depend on those beside it. torch: dynamic int8,
    which measures them at each call. In both, every row of a matrix has a scale of its own, and
    the token embedding is int8, too.
    """

    folder: FolderArgument
    """An encoder or a student."""
    method: Literal["onnx", "torch"]
    """See above."""
    dev: NewsroomFiles
    """Titles to measure the loss of accuracy on; repeatable, one newsroom's each."""
    calibration: OptionalFile = None
    """Titles to measure the ranges on (onnx), labels unread; by default those of --dev."""
    coverage: PositiveShare = 1.0
    """Share of the calibration titles that a range holds whole (onnx); the others are clipped."""
    max_drop: Annotated[float, Bounds(least=-100, most=100)] = 0.2
    """Points of accuracy that may be lost on dev; below 0, that have to be won."""
    force: bool = False
    """Write it whatever is lost, and whatever stands at --output, but never over what is read."""
    reading: Reading = Reading()


@dataclass(frozen=True, kw_only=True)
class Export(Saving):
    """Turn an encoder or a student into an ONNX model in fp32 that serves without torch.

    It is written only if it scores the probe titles as torch does, to 0.0001.
    """

    folder: FolderArgument
    """An encoder or a student."""


def quantize(settings: Quantize) -> Manifest:
    """Quantise, gate on dev accuracy, calibrate on dev, save.

    Raises:
        GateFailed: it lost more than `max_drop`; nothing is written.
    """
    claim_model(settings, [settings.folder, *settings.dev, *filter(None, [settings.calibration])])
    source = load(settings.folder)
    student = as_student(source)
    dev = read_labelled(settings.reading, settings.dev, source.labels)
    remarks = say([*of_few(dev), *of_absent(dev), *of_origin(source.manifest, dev, ["train"])])
    with TemporaryDirectory() as folder:
        model = _to_int8(settings, student, dev.titles, Path(folder))
        before, scores = (each.score(dev.titles) for each in (student, model))
        metrics = {
            "dev_accuracy_before": accuracy(before.probabilities, dev.gold),
            "dev_accuracy": accuracy(scores.probabilities, dev.gold),
        }
        if not settings.force:
            gate(metrics["dev_accuracy_before"], metrics["dev_accuracy"], settings.max_drop)
        calibration = calibrate(settings, dev, scores, model.max_length)
        return save_model(
            settings,
            model,
            calibration,
            trained_on=source.manifest.provenance.trained_on,
            hyperparameters={
                "source": named(source),
                "method": settings.method,
                "coverage": settings.coverage,
            },
            metrics=metrics,
            made_from=[model_ingredient("source", source), data_ingredient("dev", dev)],
            remarks=remarks,
        )


def export(settings: Export) -> Manifest:
    """Write the graph, compare it with torch on the probe titles, save.

    Raises:
        ArtifactError: it scores otherwise; nothing is written.
    """
    claim_model(settings, [settings.folder])
    source = load(settings.folder)
    student = as_student(source)
    with TemporaryDirectory() as folder:
        model = to_onnx(student, Path(folder) / "model.onnx")
        expected, found = (each.predict_proba(PROBE_TITLES) for each in (student, model))
        difference = float(np.abs(found - expected).max())
        if not difference <= TOLERANCE:
            raise ArtifactError(
                f"the exported graph scores a probe title {difference:.6f} from what torch gives "
                f"(at most {TOLERANCE} is allowed); it was not written"
            )
        provenance = source.manifest.provenance
        return save_model(
            settings,
            model,
            Calibration(
                source.manifest.temperature, source.manifest.threshold, (), provenance.answers
            ),
            trained_on=provenance.trained_on,
            hyperparameters={"source": named(source)},
            metrics={**provenance.metrics, "probe_difference": difference},
            made_from=[model_ingredient("source", source)],
            remarks=provenance.remarks,
        )


def _to_int8(
    settings: Quantize, student: StudentClassifier, dev_titles: Sequence[str], folder: Path
) -> Route:
    if settings.method == "torch":
        return to_int8(student)
    titles = list(dev_titles)
    if settings.calibration:
        titles = list(read_titles(settings.reading.source(settings.calibration)))
    drawn = random.Random(_SEED).sample(titles, min(len(titles), CALIBRATION_TITLES))
    return to_onnx(student, folder / "model.onnx", drawn, settings.coverage)
