"""Comparisons: of two small models trained on samples/, and of made-up scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from baselines.fasttext import train_fasttext
from baselines.fasttext_settings import FastTextSettings
from baselines.linear import LinearSettings, train_linear
from evaluation.candidates import Candidate
from evaluation.compare import paired, result_of
from evaluation.comparison import Comparison
from evaluation.latency import Speed, SpeedSettings, Spread
from evaluation.limits import NO_LIMITS, Limits
from models import artifact
from models.artifact import Manifest
from models.classifier import Scores
from models.labels import Labels
from titles import Fingerprint, LabelledTitles, Source, read
from titles.newsroom_labels import NewsroomLabel, NewsroomLabels

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="session")
def sample_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of a linear and a fastText model, weak on purpose, so that they differ."""
    folder = tmp_path_factory.mktemp("models")
    train = read(Source(SAMPLES / "train.txt"))
    linear = train_linear(train, LinearSettings(table_bits=14))
    fasttext = train_fasttext(train, settings=FastTextSettings(epochs=60, buckets=1000))
    artifact.save(linear, folder / "linear", temperature=0.8)
    artifact.save(fasttext, folder / "fasttext", temperature=1.5)
    return {"linear": folder / "linear", "fasttext": folder / "fasttext"}


@pytest.fixture(scope="session")
def make_candidate(make_manifest: Callable[..., Manifest]) -> Callable[..., Candidate]:
    """A model whose folder does not exist; `metrics` are those of its provenance."""

    def make(name: str, labels: Labels, **metrics: float) -> Candidate:
        return Candidate(name, Path("nowhere") / name, make_manifest(name, labels, **metrics))

    return make


@pytest.fixture
def make_comparison(
    make_candidate: Callable[..., Candidate], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Comparison]:
    """A comparison of models, each given by which titles it gets right.

    A number of hits means that the first titles are the misses. A speed is (p50 in ms, titles a
    second, MiB); its rounds differ by a tenth. Of two newsrooms, each has half of the titles, the
    first the first half.
    """

    def make(
        right: dict[str, int | Sequence[bool]],
        of: int = 1000,
        sizes: Sequence[int] = (),
        speeds: Sequence[tuple[float, float, float]] = (),
        labels: Labels | None = None,
        titles: Sequence[str] = (),
        routes: Mapping[str, str] | None = None,
        limits: Limits = NO_LIMITS,
        newsrooms: Sequence[str] = (),
        dates: Sequence[str | None] | None = None,
    ) -> Comparison:
        labels = labels or Labels.of(["stocks", "sports", "education"])
        gold = np.arange(of) % len(labels)
        titles = titles or [f"title {i}" for i in range(of)]
        fingerprint = Fingerprint("made-up.txt", of, "0" * 64)
        named = _of_newsrooms(newsrooms, gold, labels) if newsrooms else None
        data = LabelledTitles(titles, gold, labels, fingerprint, named, dates)
        models = []
        for i, (name, hits) in enumerate(right.items()):
            if isinstance(hits, int):
                hits = np.arange(of) >= of - hits
            model = make_candidate(name, labels)
            route = (routes or {}).get(name, model.manifest.route)
            model = replace(model, manifest=replace(model.manifest, route=route))
            monkeypatch.setattr(Candidate, "size_bytes", sizes[i] if sizes else 1_000_000)
            raw = _scores(np.where(hits, gold, (gold + 1) % len(labels)), len(labels))
            scores = Scores(raw, np.zeros(of, bool))
            speed = _speed(*speeds[i]) if speeds else None
            models.append(result_of(model, data, scores, speed))
        machine = {"cpu": "a test's", "cores": 2, "instruction_sets": ["avx2"]}
        settings = SpeedSettings() if speeds else None
        pairs = paired(models, data)
        return Comparison(
            data, tuple(models), pairs, machine, settings, limits, made_on=date(2026, 12, 1)
        )

    return make


def _of_newsrooms(names: Sequence[str], gold: np.ndarray, labels: Labels) -> NewsroomLabels:
    kinds = [
        NewsroomLabel(name, each, (i,)) for name in names for i, each in enumerate(labels.names)
    ]
    newsroom = np.arange(len(gold)) * len(names) // len(gold)
    return NewsroomLabels(tuple(kinds), newsroom * len(labels) + gold)


def _scores(predicted: np.ndarray, classes: int) -> np.ndarray:
    """(n, classes): 0.9 for the class predicted."""
    raw = np.full((len(predicted), classes), 0.1 / (classes - 1), dtype=np.float32)
    raw[np.arange(len(predicted)), predicted] = 0.9
    return raw


def _speed(p50_ms: float, titles_per_s: float, memory_mb: float) -> Speed:
    return Speed(
        load_s=0.5,
        p50_ms=Spread(p50_ms, 0.9 * p50_ms, 1.1 * p50_ms),
        p95_ms=Spread(2 * p50_ms, 1.9 * p50_ms, 2.1 * p50_ms),
        titles_per_s=Spread(titles_per_s, 0.9 * titles_per_s, 1.1 * titles_per_s),
        peak_memory_mb=memory_mb,
        batch_peak_memory_mb=2 * memory_mb,
        calls=900,
        batched_titles=3072,
    )
