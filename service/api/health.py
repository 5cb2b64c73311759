"""`/health` and `/ready`: for whoever restarts processes and sends them requests."""

from __future__ import annotations

from fastapi import APIRouter

from service.api.problem_documents import responses
from service.api.schemas import HealthResponse, ReadyResponse
from service.problems import Draining, Unavailable
from service.serving import ForAll

router = APIRouter()


@router.get("/health", summary="Is the process alive?")
async def health() -> HealthResponse:
    """Answers without asking the model: a busy or broken model does not restart the process."""
    return HealthResponse()


@router.get(
    "/ready",
    summary="Does the model work?",
    responses=responses({503: "`not_ready`, `draining`: send requests elsewhere"}),
)
async def ready(serving: ForAll) -> ReadyResponse:
    """Tells by the threads' last batches, and a probe after a failure; a full queue is no fault."""
    if serving.admission.is_draining:
        raise Draining
    engines = serving.registry.engines
    if not all(engine.is_ready() for engine in engines):
        raise Unavailable("not_ready", "the model hung or failed; the cause is in the log")
    return ReadyResponse(waiting_titles=sum(engine.waiting_titles for engine in engines))
