import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evaluation.candidates import parse_candidate
from evaluation.latency import Speed, SpeedSettings, Spread, measure, speed_of
from evaluation.latency_worker import WARM_UP_TITLES, latencies_ms, throughput
from evaluation.memory import peak_memory_mb
from models import artifact
from models.errors import BiaotiError, UsageError
from titles import Source, read

SAMPLES = Path(__file__).parents[2] / "samples"


class Recorder:
    """A classifier that only remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def predict_proba(self, titles: list[str]) -> np.ndarray:
        self.asked.append(len(titles))
        return np.ones((len(titles), 1))


def test_every_title_is_timed_alone_after_a_warm_up():
    model = Recorder()

    taken = latencies_ms(model, ["标题"] * 50)

    assert model.asked == [1] * (WARM_UP_TITLES + 50)
    assert len(taken) == 50
    assert all(0 < each < 1000 for each in taken)


def test_throughput_scores_whole_batches():
    model = Recorder()

    assert throughput(model, ["标题"] * 70, batch_size=32) > 0

    assert model.asked == [WARM_UP_TITLES, 32, 32, 6]


def test_a_spread_is_the_median_between_the_extremes():
    assert Spread.of([3.0, 1.0, 2.5]) == Spread(median=2.5, least=1.0, most=3.0)


def test_each_figure_is_of_its_own_percentile_process_and_round():
    """p50 and p95 of 1 … 101 ms are 51 and 96; memory is the last round's, when most was held."""
    times = [float(i) for i in range(1, 102)]
    ready = {"load_s": 0.5, "peak_memory_mb": 1.0}
    latency = [ready] + [
        {"milliseconds": [scale * each for each in times], "peak_memory_mb": memory}
        for scale, memory in [(1, 10.0), (3, 20.0), (2, 30.0)]
    ]
    throughput = [{"load_s": 9.0, "peak_memory_mb": 2.0}] + [
        {"titles_per_s": rate, "peak_memory_mb": memory}
        for rate, memory in [(100.0, 40.0), (400.0, 50.0), (300.0, 60.0)]
    ]

    assert speed_of(latency, throughput, batched_titles=7) == Speed(
        load_s=0.5,
        p50_ms=Spread(102.0, 51.0, 153.0),
        p95_ms=Spread(192.0, 96.0, 288.0),
        titles_per_s=Spread(300.0, 100.0, 400.0),
        peak_memory_mb=30.0,
        batch_peak_memory_mb=60.0,
        calls=303,
        batched_titles=7,
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "rounds must be at least 1, not 0"),
        ({"latency_titles": -3}, "latency_titles must be at least 1, not -3"),
    ],
)
def test_settings_that_measure_nothing_are_refused(settings: dict[str, int], message: str):
    with pytest.raises(UsageError, match=message):
        SpeedSettings(**settings)


def test_models_are_measured_in_processes_of_their_own(sample_models: dict[str, Path]):
    model = parse_candidate(str(sample_models["fasttext"]))
    labels = artifact.load(model.folder).labels
    titles = read(Source(SAMPLES / "dev.txt"), labels).titles
    settings = SpeedSettings(latency_titles=20, throughput_titles=5000, batch_size=64, rounds=2)

    (speed,) = measure([model], titles, settings, show_progress=False)

    assert speed.calls == 40
    assert speed.batched_titles == 2 * len(titles)  # no more than there are
    assert 0 < speed.p50_ms.least <= speed.p50_ms.median <= speed.p50_ms.most
    assert speed.p50_ms.median <= speed.p95_ms.median
    assert speed.titles_per_s.median > 100
    assert 0 < speed.load_s < 60
    assert 20 < speed.peak_memory_mb < peak_memory_mb()  # not that of this process, with torch


def test_a_model_that_cannot_be_opened_is_named(sample_models: dict[str, Path], tmp_path: Path):
    model = parse_candidate(str(sample_models["fasttext"]))
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "artifact.json").write_bytes((model.folder / "artifact.json").read_bytes())

    with pytest.raises(BiaotiError, match=r"^fasttext cannot be measured: .*is missing"):
        measure([parse_candidate(str(broken))], ["标题"], SpeedSettings(), show_progress=False)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux ties processes to cores")
def test_the_worker_is_tied_to_as_many_cores_as_threads():
    program = (
        "import os; from evaluation.latency_worker import pin_to_cores; pin_to_cores(1);"
        "import sys; print(len(os.sched_getaffinity(0)), 'numpy' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.split() == ["1", "False"]
