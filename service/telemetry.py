"""What the service tells of itself, for Prometheus.

With several workers, each counts into files of one folder, which the supervisor names, and
whichever is asked gives the sum over all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from scoring.drift import TENTHS

MULTIPROC_DIR = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which the workers of a supervisor count; read by `prometheus_client`."""
_SECONDS = (
    0.0005,
    0.001,
    0.002,
    0.004,
    0.008,
    0.016,
    0.032,
    0.064,
    0.128,
    0.256,
    0.512,
    1,
    2,
    4,
    8,
)

REQUESTS = Counter("biaoti_requests", "Requests answered.", ["endpoint", "status"])
REQUEST_SECONDS = Histogram(
    "biaoti_request_seconds", "From a request to its answer.", ["endpoint"], buckets=_SECONDS
)
WAIT_SECONDS = Histogram(
    "biaoti_wait_seconds", "From a request's admission to the first batch of it.", buckets=_SECONDS
)
SCORE_SECONDS = Histogram("biaoti_score_seconds", "Of scoring a batch.", buckets=_SECONDS)
BATCH_TITLES = Histogram(
    "biaoti_batch_titles", "Titles of a batch.", buckets=(1, 2, 4, 8, 16, 32, 64)
)
WAITING_TITLES = Gauge(
    "biaoti_waiting_titles", "Titles admitted and not yet answered.", multiprocess_mode="livesum"
)
REFUSED_REQUESTS = Counter("biaoti_refused_requests", "Requests that were not let in.", ["reason"])
DROPPED_TITLES = Counter(
    "biaoti_dropped_titles", "Titles never scored, since nobody waited for them any more."
)
FAILED_JOBS = Counter("biaoti_failed_jobs", "Requests at which the model failed.")
RESTARTED_THREADS = Counter("biaoti_restarted_threads", "Threads that hung or died.")
ANSWERS = Counter(
    "biaoti_answers", "Titles answered, by class; 'unknown' below the threshold.", ["label"]
)
CONFIDENCE = Histogram(
    "biaoti_confidence",
    "Of the best class of a title.",
    buckets=TENTHS,
)
RELOADS = Counter("biaoti_reloads", "Of models whose folder changed.", ["outcome"])
SHADOW_TITLES = Counter(
    "biaoti_shadow_titles", "Scored by the shadow model, too, and whether it agreed.", ["agrees"]
)
MODEL_INFO = Gauge(
    "biaoti_model", "1 for the model that answers.", ["name", "version"], multiprocess_mode="max"
)


def counted() -> CollectorRegistry:
    """All metrics as they stand; of all workers together."""
    if MULTIPROC_DIR not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def exposition(drift: Mapping[str, float]) -> bytes:
    """All metrics in Prometheus' text format; of all workers together.

    Args:
        drift: as `service.activity` tells it, which is a metric, too.
    """
    family = GaugeMetricFamily(
        "biaoti_drift_psi",
        "Population stability index of the last hour's answers against those to the dev titles.",
        labels=["of"],
    )
    for name, value in drift.items():
        family.add_metric([name], value)
    now = CollectorRegistry()
    now.register(_Once(family))
    return generate_latest(counted()) + generate_latest(now)


class _Once(Collector):
    """What was found out for one exposition; kept nowhere, as the workers' counts are."""

    def __init__(self, family: Metric):
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return [self._family]
