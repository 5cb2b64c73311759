"""`biaoti compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from evaluation.candidates import parse_candidates
from evaluation.compare import compare, remarks_before
from evaluation.latency import SpeedSettings
from evaluation.limits import NO_LIMITS, Limits
from evaluation.report.write import REPORT, write_report
from models.bounds import Checked, NonEmpty, NonNegativeFloat
from models.errors import UsageError
from models.labels import Labels
from models.outputs import claim_folder
from recipes.lessons import read_all_titles, read_labelled
from recipes.settings import (
    Files,
    Folder,
    NewsroomFiles,
    OptionalPath,
    Reading,
    allow_one,
    path_of,
)
from recipes.telling import say
from scoring.store import ScoreStore
from titles import leaked


@dataclass(frozen=True, kw_only=True)
class Compare(Checked):
    """Compare models on labelled titles and write a report: which to deploy, and why.

    The report is one page, report.html, that opens anywhere; report.md and report.json say the
    same. Scores are kept, so an interrupted comparison goes on where it was. Speed is measured
    last, with all models in memory: leave the machine alone meanwhile.
    """

    models: Annotated[tuple[str, ...], Positional, arg(metavar="MODEL"), NonEmpty()]
    """A model's folder, or NAME=FOLDER to call it otherwise; pipeline:FOLDER runs an encoder's
    folder with transformers.pipeline, as a reference. A name that begins with no- or without- marks
    an ablation, which is compared and never recommended."""
    data: NewsroomFiles
    """Labelled titles to score; repeatable, one newsroom's each."""
    train: Files = ()
    """The models' training titles; scores are also given without those that leak. Repeatable."""
    output: Folder = Path("artifacts/report")
    """Where the report goes."""
    cache: OptionalPath = None
    """Where models' scores are kept, to be used again; by default ~/.cache/biaoti/scores."""
    force: bool = False
    """Replace whatever stands at --output, but never what is read."""
    limits: Limits = NO_LIMITS
    price_per_core_hour: NonNegativeFloat = 0.0
    """What an hour of a CPU core costs, to say what a million titles do; 0 = not known."""
    speed: bool = True
    """Whether speed is measured; else size and scores alone."""
    measuring: SpeedSettings = SpeedSettings()
    reading: Reading = Reading()

    def __post_init__(self) -> None:
        allow_one(self, "models", "data", "train")
        super().__post_init__()
        if self.limits.need_speed and not self.speed:
            raise UsageError("a limit of speed needs speed to be measured; leave out --no-speed")


def compare_models(settings: Compare) -> list[Path]:
    """Score and measure all models, and write the report; returns its files.

    Raises:
        UsageError: models or data do not fit each other.
        DataError: a row cannot be used.
        ArtifactError: a model cannot be trusted.
    """
    candidates = parse_candidates(settings.models)
    inputs = [each.folder for each in candidates]
    inputs += [*map(path_of, [*settings.data, *settings.train]), *settings.reading.lists]
    claim_folder(settings.output, inputs, REPORT, settings.force)
    manifest = candidates[0].manifest
    labels = Labels(manifest.labels, manifest.display_names)
    data = read_labelled(settings.reading, settings.data, labels)
    leaks = None
    if settings.train:
        leaks = leaked(data.titles, read_all_titles(settings.reading, settings.train))
    said = say(remarks_before(candidates, data, leaks))
    comparison = compare(
        candidates,
        data,
        ScoreStore(settings.cache),
        leaks=leaks,
        speed_settings=settings.measuring if settings.speed else None,
        limits=settings.limits,
        price_per_core_hour=settings.price_per_core_hour,
    )
    say(remark for remark in comparison.remarks if remark not in said)
    return write_report(comparison, settings.output)
