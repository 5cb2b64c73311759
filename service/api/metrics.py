"""`/metrics`: for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service.serving import ForClassifying
from service.telemetry import exposition

router = APIRouter()


@router.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
async def metrics(serving: ForClassifying) -> Response:
    """Counters, histograms and gauges of all workers, in Prometheus' text format."""
    expected = serving.registry.find().model.manifest.provenance.answers
    drift = serving.activity.drift(expected) if expected else {}
    return Response(exposition(drift), media_type=CONTENT_TYPE_LATEST)
