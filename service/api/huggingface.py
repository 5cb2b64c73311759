"""`POST /predict`: titles as Hugging Face's clients send texts to classify.

`huggingface_hub.InferenceClient(base).text_classification(title)` posts to the address that it is
given, so the root answers, too.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from service.api.classify import count
from service.api.deadline import timeout_of
from service.api.direct import DirectRoute
from service.api.limits import check_count, check_top_k, told_apart
from service.api.problem_documents import responses
from service.api.request_body import JsonBody
from service.api.schemas import PredictRequest, ScoredLabel
from service.serving import ForClassifying

router = APIRouter(route_class=DirectRoute)

_TOP_K = 5
"""Classes that are listed where nothing is said, as Hugging Face's own service does."""
_READER = JsonBody(
    PredictRequest,
    '{"inputs": "…"}',
    {
        "inputs": ("invalid_inputs", "inputs must be a string or a list of strings"),
        "parameters": (
            "invalid_parameters",
            "parameters may have top_k, a whole number, and function_to_apply, which is softmax",
        ),
    },
)


@router.post(
    "/predict",
    summary="Classify titles, as Hugging Face's clients ask",
    response_model=list[list[ScoredLabel]],
    responses=responses(
        {
            400: "not JSON in UTF-8",
            413: "too many titles, or too long",
            415: "not declared as JSON",
            422: "JSON, but not a request",
            429: "too many titles wait; come again after `Retry-After` seconds",
            500: "the cause is in the service's log",
            503: "the service is about to end",
            504: "the model did not answer in time",
        }
    ),
    openapi_extra=_READER.openapi,
)
@router.post("/", include_in_schema=False)
async def predict(request: Request, serving: ForClassifying) -> Response:
    """For each text, a list of classes from the most to the least probable. All texts or none."""
    settings = serving.settings
    read = await _READER.of(request)
    titles: list[Any] = [read.inputs] if isinstance(read.inputs, str) else read.inputs
    request.state.titles = len(titles)
    check_count(len(titles), settings.max_titles, "inputs")
    check_top_k(read.parameters.top_k, settings.max_top_k)
    asked = told_apart(titles, settings.max_title_chars, "inputs")
    asked.require_all()
    timeout_s = timeout_of(request.headers, settings.deadline_s)
    model, scores = await serving.score(request, asked.titles, timeout_s)
    top_k = read.parameters.top_k or _TOP_K
    found = model.predictions(asked.titles, scores, top_k)
    count(found)
    content = [[{"label": r.label, "score": r.score} for r in each.ranking] for each in found]
    return Response(to_json(content), media_type="application/json")
