"""`biaoti compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from evaluation.candidates import parse_candidates
from evaluation.compare import Limits, compare, remarks_before
from evaluation.latency import SpeedSettings
from evaluation.report.write import REPORT, write_report
from models.bounds import Checked, NonEmpty
from models.outputs import claim_folder
from recipes.settings import File, Folder, OptionalFile, OptionalPath, Reading
from recipes.telling import say
from scoring.store import ScoreStore
from titles import leaked, read, read_titles


@dataclass(frozen=True, kw_only=True)
class Compare(Checked):
    """Compare models on one file and write a report: which to deploy, and why.

    The report is one page, report.html, that opens anywhere; report.md and report.json say the
    same. Scores are kept, so an interrupted comparison goes on where it was. Speed is measured
    last, with all models in memory: leave the machine alone meanwhile.
    """

    models: Annotated[tuple[str, ...], Positional, arg(metavar="MODEL"), NonEmpty()]
    """A model's folder, or NAME=FOLDER to call it otherwise; pipeline:FOLDER runs an encoder's
    folder with transformers.pipeline, as a reference."""
    data: File
    """Labelled titles to score."""
    train: OptionalFile = None
    """The models' training titles; scores are also given without those that leak."""
    output: Folder = Path("artifacts/report")
    """Where the report goes."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""
    force: bool = False
    """Replace whatever stands at --output, but never what is read."""
    limits: Limits = Limits()
    speed: bool = True
    """Whether speed is measured; else size and scores alone."""
    measuring: SpeedSettings = SpeedSettings()
    reading: Reading = Reading()


def compare_models(settings: Compare) -> list[Path]:
    """Score and measure all models, and write the report; returns its files.

    Raises:
        UsageError: models or data do not fit each other.
        ArtifactError: a model cannot be trusted.
    """
    candidates = parse_candidates(settings.models)
    inputs = [*(each.folder for each in candidates), Path(settings.data)]
    claim_folder(settings.output, inputs, REPORT, settings.force)
    reading = settings.reading
    data = read(reading.source(settings.data), reading.labels)
    leaks = None
    if settings.train is not None:
        leaks = leaked(data.titles, read_titles(reading.source(settings.train)))
    said = say(remarks_before(candidates, data, leaks))
    comparison = compare(
        candidates,
        data,
        ScoreStore(settings.cache),
        leaks=leaks,
        speed_settings=settings.measuring if settings.speed else None,
        limits=settings.limits,
    )
    say(remark for remark in comparison.remarks if remark not in said)
    return write_report(comparison, settings.output)
