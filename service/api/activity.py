"""`GET /v1/activity`: the last hour, for the page."""

from __future__ import annotations

import math

from fastapi import APIRouter

from service.api.schemas import ActivityMinute, ActivityResponse
from service.serving import ForClassifying

router = APIRouter()


@router.get("/v1/activity", summary="What was answered in the last hour?")
async def activity(serving: ForClassifying) -> ActivityResponse:
    """Minute by minute, the oldest first, of all workers; the last minute is still running."""
    return ActivityResponse(
        minutes=[
            ActivityMinute(
                began=minute.began,
                requests=minute.requests,
                p50_ms=_ms(minute.p50_s),
                p99_ms=_ms(minute.p99_s),
                answers=minute.answers,
            )
            for minute in serving.activity.minutes()
        ]
    )


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None or math.isinf(seconds) else 1000 * seconds
