"""`POST /v1/feedback`: what a person says of an answer."""

from __future__ import annotations

import asyncio
import uuid

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from service.api.limits import problem_of
from service.api.problem_documents import responses
from service.api.request_body import JsonBody
from service.feedback.keeping import Contradiction, Correction
from service.problems import Conflict, InvalidRequest, NotFound
from service.serving import ForFeedback

router = APIRouter()


class Answered(BaseModel):
    """The answer that is corrected, as the service gave it."""

    model_config = ConfigDict(strict=True)

    label: str = Field(max_length=200)
    score: float | None = None
    name: str = Field(max_length=200, description="Of the model.")
    version: str = Field(max_length=64, description="Of the model.")


class FeedbackRequest(BaseModel):
    """A title, what it is, and what the model had said."""

    model_config = ConfigDict(strict=True, extra="allow")

    title: str
    label: str | None = Field(description="The right class; null: none of the classes.")
    answer: Answered
    id: str | None = Field(
        default=None,
        max_length=64,
        description="Of the client, so that the same sent twice is kept once.",
    )


class FeedbackResponse(BaseModel):
    """The correction is kept."""

    id: str


_READER = JsonBody(
    FeedbackRequest,
    '{"title": "…", "label": "sports", "answer": {"label": "game", "name": "…", "version": "…"}}',
    {
        "title": ("invalid_title", "title must be a string"),
        "label": ("invalid_label", "label must be a class or null"),
        "answer": (
            "invalid_answer",
            "answer must have label, name and version, as the service gave them",
        ),
        "id": ("invalid_id", "id must be a string of at most 64 characters"),
    },
)


@router.post(
    "/v1/feedback",
    summary="Correct an answer",
    status_code=201,
    response_model=FeedbackResponse,
    responses={
        200: {"description": "It was kept before.", "model": FeedbackResponse},
        **responses(
            {
                400: "`malformed_json`: not JSON in UTF-8",
                404: "`feedback_not_kept`: this service keeps none",
                409: "`id_taken`: another correction has this id",
                413: "`body_too_large`, `title_too_long`: send less",
                415: "not declared as JSON in UTF-8",
                422: "not a correction, or not a class of the model",
            }
        ),
    },
    openapi_extra=_READER.openapi,
)
async def feedback(request: Request, serving: ForFeedback) -> Response:
    """Keeps a person's correction; when it is answered, it is on the disk."""
    keeping = serving.feedback
    if keeping is None:
        raise NotFound("feedback_not_kept", "this service keeps no feedback; set BIAOTI_FEEDBACK")
    read = await _READER.of(request)
    if problem := problem_of(read.title, "title", serving.settings.max_title_chars):
        raise problem
    labels = serving.registry.find().model.labels.names
    if read.label is not None and read.label not in labels:
        raise InvalidRequest(
            "unknown_label",
            f"label is none of {', '.join(labels)}; send one of them, or null",
            "label",
        )
    correction = Correction(
        id=read.id or uuid.uuid4().hex,
        title=read.title,
        label=read.label,
        answered=read.answer.label,
        score=read.answer.score,
        model=read.answer.name,
        version=read.answer.version,
        by=getattr(request.state, "key", None),
    )
    try:
        is_new = await asyncio.to_thread(keeping.add, correction)
    except Contradiction as error:
        raise Conflict(
            "id_taken", f"another correction has the id {error}; send a new one"
        ) from error
    body = to_json({"id": correction.id})
    return Response(body, 201 if is_new else 200, media_type="application/json")
