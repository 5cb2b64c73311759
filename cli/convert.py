"""`biaoti quantize` and `biaoti export`: the same model in another form."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from cli.options import VerbParser, add_source, add_verb, source_of
from cli.training import named, read_titles, save_model
from models.errors import ArtifactError

if TYPE_CHECKING:
    from models.artifact import Route
    from models.student import StudentClassifier
    from titles import LabelledTitles

TOLERANCE = 1e-4
"""Greatest difference of a probe title's score between torch and the exported graph."""


def add_to(verbs: Any) -> None:
    _add_quantize(verbs)
    _add_export(verbs)


def quantize(options: argparse.Namespace) -> None:
    """Turn an encoder or a student into int8, and refuse to write it if it lost too much.

    onnx: for ONNX Runtime, without torch; the ranges of its layers' inputs are measured once, on
    calibration titles, so a title's scores do not depend on those beside it. torch: dynamic int8,
    which measures them at each call. In both, every row of a matrix has a scale of its own, and
    the token embedding is int8, too.
    """
    from models.artifact import load
    from scoring.gate import gate
    from scoring.metrics import accuracy
    from scoring.temperature import fit_temperature
    from titles import read
    from training.compression.conversion import as_student

    source = load(options.folder)
    student = as_student(source)
    dev = read(source_of(options, options.dev), source.labels)
    with TemporaryDirectory() as folder:
        model = _to_int8(options, student, dev, Path(folder))
        before, scores = (each.predict_proba(dev.titles) for each in (student, model))
        metrics = {
            "dev_accuracy_before": accuracy(before, dev.label_ids),
            "dev_accuracy": accuracy(scores, dev.label_ids),
        }
        if not options.force:
            gate(metrics["dev_accuracy_before"], metrics["dev_accuracy"], options.max_drop)
        temperature = fit_temperature(scores, dev.label_ids)
        used = {"source": named(source), "method": options.method, "coverage": options.coverage}
        trained_on = source.manifest.provenance.trained_on
        save_model(options, model, temperature, trained_on, used, metrics)


def export(options: argparse.Namespace) -> None:
    """Turn an encoder or a student into an ONNX model in fp32 that serves without torch.

    It is written only if it scores the probe titles as torch does, to 0.0001.
    """
    from models.artifact import PROBE_TITLES, load
    from training.compression.conversion import as_student
    from training.compression.export import to_onnx

    source = load(options.folder)
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
        metrics = {**provenance.metrics, "probe_difference": difference}
        used = {"source": named(source)}
        temperature = source.manifest.temperature
        save_model(options, model, temperature, provenance.trained_on, used, metrics)


def _to_int8(
    options: argparse.Namespace, student: StudentClassifier, dev: LabelledTitles, folder: Path
) -> Route:
    from training.compression.export import CALIBRATION_TITLES, to_onnx
    from training.compression.quantization import to_int8

    if options.method == "torch":
        return to_int8(student)
    titles = read_titles(options, [options.calibration]) if options.calibration else dev.titles
    drawn = random.Random(13).sample(list(titles), min(len(titles), CALIBRATION_TITLES))
    return to_onnx(student, folder / "model.onnx", drawn, options.coverage)


def _add_quantize(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "quantize",
        quantize,
        """
        biaoti quantize artifacts/student --method onnx --dev samples/dev.txt \\
            --calibration samples/train.txt --output artifacts/student-int8
        biaoti quantize artifacts/student --method torch --dev samples/dev.txt \\
            --output artifacts/student-int8-torch
        """,
    )
    _add_folders(parser)
    parser.add_argument("--method", required=True, choices=["onnx", "torch"], help="see above")
    parser.add_argument(
        "--dev", required=True, metavar="FILE", help="titles to measure the loss of accuracy on"
    )
    parser.add_argument(
        "--calibration",
        metavar="FILE",
        help="titles to measure the ranges on (onnx), labels unread; by default those of --dev",
    )
    parser.add_argument(
        "--coverage",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="of the calibration titles that a range holds whole (onnx); the others are clipped",
    )
    parser.add_argument(
        "--max-drop",
        type=float,
        default=0.2,
        metavar="POINTS",
        help="of accuracy that may be lost on dev",
    )
    parser.add_argument("--force", action="store_true", help="write it, whatever is lost")
    add_source(parser)


def _add_export(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "export",
        export,
        "biaoti export artifacts/student --output artifacts/student-onnx",
    )
    _add_folders(parser)


def _add_folders(parser: VerbParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an encoder or a student")
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the model is saved"
    )
