"""`POST /v1/classify`: titles in JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from models.artifact import LoadedModel
from models.classifier import Prediction
from scoring.drift import UNKNOWN
from service.api.deadline import timeout_of
from service.api.direct import DirectRoute
from service.api.limits import Asked, check_limits
from service.api.problem_documents import responses
from service.api.request_body import JsonBody
from service.api.schemas import ClassifyRequest, ClassifyResponse
from service.problems import Problem
from service.serving import ForClassifying
from service.telemetry import ANSWERS, CONFIDENCE

router = APIRouter(route_class=DirectRoute)

_PROBLEMS = responses(
    {
        400: "`malformed_json`: not JSON, not UTF-8, nested too deep, half a surrogate pair",
        404: "`unknown_model`: no model is called so; all are listed at /v1/models",
        413: "`body_too_large`, `too_many_titles`, in a strict request `title_too_long`: send less",
        415: "`unsupported_media_type`, `unsupported_charset`, `unsupported_encoding`: send plain "
        "JSON in UTF-8",
        422: "`not_an_object`, `missing_titles`, `titles_not_a_list`, `empty_titles`, "
        "`invalid_top_k`, `top_k_out_of_range`, `invalid_calibrated`, `invalid_strict`, "
        "`invalid_model`, `unknown_field`, `invalid_timeout`; in a strict request "
        "`title_not_a_string`, `blank_title`: send something else",
        429: "`overloaded`: too many titles wait; come again after `Retry-After` seconds",
        500: "`internal_error`, `inference_failed`: the cause is in the service's log",
        503: "`draining`: the service is about to end; ask another replica",
        504: "`deadline_exceeded`: the model did not answer in time",
    }
)
_READER = JsonBody(
    ClassifyRequest,
    '{"titles": ["…"]}',
    {
        "titles": ("titles_not_a_list", "titles must be a list of strings"),
        "top_k": ("invalid_top_k", "top_k must be a whole number"),
        "calibrated": ("invalid_calibrated", "calibrated must be true or false"),
        "model": ("invalid_model", "model must be the name of a model"),
        "strict": ("invalid_strict", "strict must be true or false"),
    },
)


@router.post(
    "/v1/classify",
    summary="Classify titles",
    response_model=ClassifyResponse,
    responses=_PROBLEMS,
    openapi_extra=_READER.openapi,
)
async def classify(request: Request, serving: ForClassifying) -> Response:
    """Answers each title, in order, with its most probable classes, or with what is wrong with it.

    The header `X-Timeout-Ms` says how long the client waits; it can shorten the server's limit.
    """
    settings = serving.settings
    request_read = await _READER.of(request)
    request.state.titles = len(request_read.titles)
    asked = check_limits(request_read, settings)
    timeout_s = timeout_of(request.headers, settings.deadline_s)
    results: list[Prediction] = []
    model = serving.registry.find(request_read.model).model
    if asked.titles:
        model, scores = await serving.score(request, asked.titles, timeout_s, request_read.model)
        top_k = request_read.top_k or settings.default_top_k
        results = model.predictions(asked.titles, scores, top_k, request_read.calibrated)
        count(results)
    content = {
        "model": identity(model),
        "results": in_their_places(asked, [result_of(each) for each in results]),
    }
    return Response(to_json(content), media_type="application/json")


def count(found: list[Prediction]) -> None:
    """Note for Prometheus what was answered."""
    for prediction in found:
        ANSWERS.labels(UNKNOWN if prediction.unknown else prediction.best.label).inc()
        CONFIDENCE.observe(prediction.best.score)


def identity(model: LoadedModel) -> dict[str, str]:
    return {"name": model.manifest.name, "version": model.manifest.version}


def result_of(prediction: Prediction) -> dict[str, Any]:
    """A `TitleResult`, but for its index."""
    ranking = [
        {"label": each.label, "display_name": each.display_name, "score": each.score}
        for each in prediction.ranking
    ]
    return {
        **ranking[0],
        "top_k": ranking,
        "truncated": prediction.truncated,
        "readable": prediction.readable,
        "unknown": prediction.unknown,
    }


def in_their_places(asked: Asked, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results and errors in the order of the request."""
    found = {place: _error_of(problem) for place, problem in asked.problems.items()}
    found |= dict(zip(asked.places, results, strict=True))
    return [{"index": place, **found[place]} for place in range(len(found))]


def _error_of(problem: Problem) -> dict[str, Any]:
    return {"error": {"code": problem.code, "detail": problem.detail}}
