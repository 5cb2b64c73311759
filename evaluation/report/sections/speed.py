"""Size, loading, latency, throughput and memory, measured side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evaluation.comparison import Comparison, ModelResult
from evaluation.latency import Speed, Spread
from evaluation.latency_worker import WARM_UP_TITLES
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from evaluation.report.words import megabytes

_HEADER = (
    "model", "MB on disk", "load s", "p50 ms", "p95 ms", "titles/s", "MiB, one title",
    "MiB, batches",
)  # fmt: skip


def write(comparison: Comparison) -> Content | None:
    settings = comparison.speed_settings
    if settings is None or not any(model.speed for model in comparison.models):
        return None
    blocks: list[Block] = [
        Table(_HEADER, [_row(model, model.speed) for model in comparison.ranked if model.speed]),
        Paragraph(_how(comparison)),
        Paragraph(_where(comparison)),
    ]
    data: dict[str, Any] = {
        "machine": comparison.machine,
        "settings": asdict(settings),
        "models": [
            {"name": m.name, "size_bytes": m.size_bytes} | asdict(m.speed)
            for m in comparison.models
            if m.speed is not None
        ],
    }
    return Content(blocks, data)


def _row(model: ModelResult, speed: Speed) -> list[str]:
    return [
        model.name,
        megabytes(model.size_bytes),
        f"{speed.load_s:.2f}",
        _spread(speed.p50_ms, 2),
        _spread(speed.p95_ms, 2),
        _spread(speed.titles_per_s, 0),
        f"{speed.peak_memory_mb:,.0f}",
        f"{speed.batch_peak_memory_mb:,.0f}",
    ]


def _spread(found: Spread, digits: int) -> str:
    """`1.12 (1.10–1.19)`: the median of the rounds, the least and the most."""
    return f"{found.median:,.{digits}f} ({found.least:,.{digits}f}–{found.most:,.{digits}f})"


def _how(comparison: Comparison) -> str:
    settings = comparison.speed_settings
    first = next(model.speed for model in comparison.models if model.speed)
    assert settings is not None
    return (
        f"Each model ran in processes of its own, all were asked in turn over {settings.rounds} "
        "rounds, and the median of the rounds is given with the least and the most. Latency: one "
        f"title at a time on one thread tied to one core, {first.calls:,} timed calls after "
        f"{WARM_UP_TITLES} warm-up titles a round, from text to calibrated scores. Throughput: "
        f"batches of up to {settings.batch_size} titles on all {comparison.machine['cores']} "
        f"threads, {first.batched_titles:,} titles. Memory: the most that the process held, "
        "libraries included. Loading: libraries and verification included, files in the system's "
        "cache."
    )


def _where(comparison: Comparison) -> str:
    machine = comparison.machine
    sets = ", ".join(machine["instruction_sets"]) or "not known"
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, instruction sets that matter here: "
        f"{sets}. Int8 speed and scores depend on them."
    )


SECTION = Section("speed", "Size and speed", write)
