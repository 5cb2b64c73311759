"""`biaoti score`: a file of titles, with what a model says of each beside it."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tqdm import tqdm
from tyro.conf import arg

from models.artifact import DEFAULT_FOLDER, LoadedModel, load
from models.bounds import Checked
from models.classifier import Scores
from models.errors import UsageError
from models.manifest import Answers
from models.outputs import OutputKind, claim_file, claim_folder, run_folder
from models.staging import staged_file
from recipes.settings import (
    FileArgument,
    Folder,
    Number,
    OptionalFormat,
    OptionalName,
    OptionalNumber,
    OptionalText,
    Threads,
)
from scoring import answer_columns
from scoring.drift import stability_index
from scoring.store import ScoreStore
from titles import Source
from titles.extending import about_rows, extended_copy
from titles.record import Cell, Record
from titles.source_format import resolve_unlabelled

_SEARCHED_BYTES = 1 << 16


def _no_answers(path: Path) -> str | None:
    """Tables name their columns where they begin, Parquet where it ends."""
    with path.open("rb") as file:
        found = file.read(_SEARCHED_BYTES)
        file.seek(max(0, path.stat().st_size - _SEARCHED_BYTES))
        found += file.read()
    absent = [name for name in answer_columns.NAMES if name.encode() not in found]
    return f"it names no column '{absent[0]}'" if absent else None


def _no_scores(folder: Path) -> str | None:
    others = [path.name for path in folder.iterdir() if ".sqlite" not in path.suffix]
    return f"it also holds {min(others)}" if others else None


SCORED = OutputKind("a file that was scored", _no_answers)
RUN = OutputKind("a run's folder", _no_scores)


@dataclass(frozen=True, kw_only=True)
class Score(Checked):
    """Copy a file of titles, with the class of each as further columns.

    CSV, TSV, JSON lines, Excel, Parquet, and text with a title a line; the copy has the same
    format. All columns and rows stay as they are. Behind them stand class, class_name, confidence,
    unknown and problem, which says why a row has no class, such as a blank one. A run can be
    interrupted: the same command goes on where it was. With --engine ray, an archive of many files
    becomes a folder of Parquet, on all cores of a machine or of a cluster.
    """

    file: FileArgument
    """Titles; they need no labels."""
    output: Annotated[str, arg(metavar="FILE")]
    """Where the copy is written, with the same suffix; only such a copy is replaced. With --engine
    ray, a folder, or a URL that fsspec knows."""
    model: Folder = DEFAULT_FOLDER
    """The model."""
    title_column: OptionalText = None
    """Column of the titles."""
    format: OptionalFormat = None
    """txt, csv, jsonl, parquet or excel."""
    threads: Threads = None
    """Threads that score."""
    force: bool = False
    """Replace whatever stands at --output, but never what is read."""
    engine: Literal["local", "ray"] = "local"
    """local: one file, in this process. ray: the files of a folder, of a pattern or behind a URL,
    in blocks on all cores or on a cluster; the output is a folder of Parquet."""
    address: OptionalName = None
    """Of a Ray cluster that runs; without it, this machine's cores are used."""
    actors: OptionalNumber = None
    """Processes of Ray that score, a core each."""
    block_rows: Number = 20_000
    """Rows of a block of Ray's: what is scored again where a process dies."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("file", "output"):  # Python users may give paths
            object.__setattr__(self, name, str(getattr(self, name)))
        read, copy = Path(self.file).suffix, Path(self.output)
        if self.engine == "local" and read.lower() != copy.suffix.lower():
            raise UsageError(
                f"the copy of {self.file} has its format; call it {copy.stem}{read}, not "
                f"{copy.name}"
            )


@dataclass
class Scored:
    """What became of a file's rows.

    Attributes:
        classes: how often each was the answer, `unknown` among them.
        problems: rows without an answer.
        scored: distinct titles that the model scored in this run; the others were known.
        seconds: that the run took.
        drift: population stability index of the classes, against the answers to the dev titles;
            None where the model does not know these.
    """

    rows: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    problems: int = 0
    scored: int = 0
    seconds: float = 0.0
    drift: float | None = None

    def compare_with(self, answers: Answers | None) -> None:
        """Find the drift from the answers to the dev titles."""
        if answers and self.classes:
            self.drift = stability_index(answers.classes, self.classes)


def score(settings: Score) -> Scored:
    """Write the copy; see `Score`.

    Raises:
        UsageError: an output that would cost somebody something, or a format that is not known.
        DataError: the file as a whole cannot be read.
    """
    if settings.engine == "ray":
        from recipes.score_archive import score_archive  # which needs Ray

        return score_archive(settings)
    output = Path(settings.output)
    inputs: list[str | Path] = [settings.file, settings.model]
    run = run_folder(output)
    claim_file(output, inputs, SCORED, settings.force)
    claim_folder(run, inputs, RUN, settings.force)
    source = resolve_unlabelled(Source(settings.file, settings.format, settings.title_column))
    started = time.monotonic()
    with load(settings.model, settings.threads) as model, _bar(source) as bar:
        answering = _Answering(model, ScoreStore(run), bar)
        with staged_file(output) as copy:
            extended_copy(source, copy, answer_columns.COLUMNS, answering)
        bar.total = bar.n
        answering.done.compare_with(model.manifest.provenance.answers)
    shutil.rmtree(run, ignore_errors=True)  # the scores are in the copy now
    done = answering.done
    done.seconds = time.monotonic() - started
    return done


class _Answering:
    """Gives rows their cells, and counts them."""

    def __init__(self, model: LoadedModel, store: ScoreStore, bar: tqdm):
        self._model, self._store, self._bar = model, store, bar
        self.done = Scored()

    def __call__(self, records: Sequence[Record]) -> list[tuple[Cell, ...]]:
        cells, classes = answer_columns.of_records(records, self._model, self._scores)
        self.done.rows += len(records)
        self.done.classes.update(classes)
        self.done.problems += len(records) - classes.total()
        self._bar.update(len(records))
        return cells

    def _scores(self, titles: list[str]) -> Scores:
        found = self._store.find(self._model, titles, show_progress=False)
        self.done.scored += found.scored
        return found.scores


def _bar(source: Source) -> tqdm:
    return tqdm(
        total=about_rows(source),
        unit="row",
        mininterval=1 if os.isatty(2) else 30,
        dynamic_ncols=True,
    )
