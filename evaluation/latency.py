"""How fast, how large and how hungry models are, measured side by side.

Each model runs in processes of its own: one tied to one core, which scores title by title, and one
with all cores, which scores large batches. They stay alive and are asked in turn over several
rounds, one at a time, so that a machine that grows slower or faster does so for all alike.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tqdm import tqdm

from evaluation.candidates import Candidate
from evaluation.child_process import ChildProcess
from models.bounds import Bounds, Checked, PositiveInt
from models.machine import available_threads

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
_SEED = 13


@dataclass(frozen=True)
class SpeedSettings(Checked):
    """How much is measured."""

    latency_titles: PositiveInt = 300
    """Titles that are scored one by one in a round."""
    throughput_titles: PositiveInt = 1024
    """Titles that are scored in batches in a round."""
    batch_size: PositiveInt = 256
    """Titles in such a batch."""
    rounds: PositiveInt = 3
    """Rounds in which every model is asked once; the median of them is reported."""
    timeout_s: Annotated[float, Bounds(least=1, most=1e6)] = 900.0
    """Longest that a model may take to load, or for one round."""


@dataclass(frozen=True)
class Spread:
    """A figure over the rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(float(np.median(values)), float(min(values)), float(max(values)))


@dataclass(frozen=True)
class Speed:
    """What was measured of one model.

    Attributes:
        load_s: from the start of the program to the first title that could be scored, libraries
            and verification included, files in the system's cache, one thread.
        p50_ms, p95_ms: one title at a time on one thread, from text to calibrated scores.
        titles_per_s: in batches on all threads.
        peak_memory_mb: MiB held at most when scoring one by one.
        batch_peak_memory_mb: MiB held at most when scoring in batches.
        calls: titles timed one by one, over all rounds.
        batched_titles: titles timed in batches, over all rounds.
    """

    load_s: float
    p50_ms: Spread
    p95_ms: Spread
    titles_per_s: Spread
    peak_memory_mb: float
    batch_peak_memory_mb: float
    calls: int
    batched_titles: int


def measure(
    candidates: Sequence[Candidate],
    titles: Sequence[str],
    settings: SpeedSettings,
    show_progress: bool = True,
) -> list[Speed]:
    """Measure all models on the same titles of `titles`, drawn with a fixed seed.

    All models are held in memory at once. Takes minutes; interrupting it leaves no process behind.

    Raises:
        BiaotiError: a model's process failed, died or took longer than `settings.timeout_s`.
    """
    most = max(settings.latency_titles, settings.throughput_titles)
    drawn = random.Random(_SEED).sample(list(titles), min(most, len(titles)))
    steps = 2 * len(candidates) * (1 + settings.rounds)
    one_by_one = {"measure": "latency", "titles": settings.latency_titles}
    batched = {
        "measure": "throughput",
        "titles": settings.throughput_titles,
        "batch_size": settings.batch_size,
    }
    with (
        tempfile.TemporaryDirectory(prefix="biaoti-titles-") as folder,
        tqdm(total=steps, unit="step", disable=not show_progress) as bar,
    ):
        path = Path(folder, "titles.json")
        path.write_text(json.dumps(drawn), encoding="utf-8")
        with _running(candidates, 1, path, settings, bar) as children:
            latency = _ask_in_turn(children, one_by_one, settings.rounds, bar)
        with _running(candidates, available_threads(), path, settings, bar) as children:
            throughput = _ask_in_turn(children, batched, settings.rounds, bar)
    batched_titles = settings.rounds * min(settings.throughput_titles, len(drawn))
    return [speed_of(*each, batched_titles) for each in zip(latency, throughput, strict=True)]


@contextmanager
def _running(
    candidates: Sequence[Candidate], threads: int, path: Path, settings: SpeedSettings, bar: tqdm
) -> Iterator[list[tuple[ChildProcess, dict[str, Any]]]]:
    """A child for each model with what it said when it was ready; loaded one after the other."""
    environment = dict.fromkeys(_THREAD_VARIABLES, str(threads))
    environment["TOKENIZERS_PARALLELISM"] = "false" if threads == 1 else "true"
    with ExitStack() as stack:
        children = []
        for candidate in candidates:
            bar.set_description(f"load {candidate.name}")
            program = [sys.executable, "-m", "evaluation.latency_worker"]
            command = [*program, candidate.specification, str(threads), str(path)]
            child = ChildProcess(candidate.name, command, environment, settings.timeout_s)
            stack.enter_context(child)
            children.append((child, child.answer()))
            bar.update()
        yield children


def _ask_in_turn(
    children: Sequence[tuple[ChildProcess, dict[str, Any]]],
    request: dict[str, Any],
    rounds: int,
    bar: tqdm,
) -> list[list[dict[str, Any]]]:
    """For each child what it said when ready, then its answer of each round."""
    answers = [[ready] for _, ready in children]
    for _ in range(rounds):
        for (child, _), found in zip(children, answers, strict=True):
            bar.set_description(f"{request['measure']} {child.name}")
            found.append(child.ask(request))
            bar.update()
    return answers


def speed_of(
    latency: Sequence[dict[str, Any]],
    throughput: Sequence[dict[str, Any]],
    batched_titles: int,
) -> Speed:
    """The figures of one model, from what its two processes said.

    Args:
        latency, throughput: what it said when it was ready, then its answer of each round.
        batched_titles: scored in batches, over all rounds.
    """
    ready, *rounds = latency
    times = [answer["milliseconds"] for answer in rounds]
    return Speed(
        load_s=ready["load_s"],
        p50_ms=Spread.of([float(np.percentile(each, 50)) for each in times]),
        p95_ms=Spread.of([float(np.percentile(each, 95)) for each in times]),
        titles_per_s=Spread.of([answer["titles_per_s"] for answer in throughput[1:]]),
        peak_memory_mb=rounds[-1]["peak_memory_mb"],
        batch_peak_memory_mb=throughput[-1]["peak_memory_mb"],
        calls=sum(map(len, times)),
        batched_titles=batched_titles,
    )
