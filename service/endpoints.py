"""The service's four questions: classify, health, ready, models."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from models.artifact import LoadedModel, Manifest
from models.classifier import Prediction, Ranked
from service.errors import ServiceError, Unavailable
from service.inference import InferenceThread, classify, probe
from service.limits import check_limits
from service.request_body import check_headers, read_request
from service.schemas import (
    ClassifyRequest,
    ClassifyResponse,
    ErrorResponse,
    HealthResponse,
    LabelDescription,
    ModelDescription,
    ModelIdentity,
    ModelsResponse,
    RankedClass,
    ReadyResponse,
    Remark,
    TitleResult,
)
from service.settings import Settings

logger = logging.getLogger("biaoti")
router = APIRouter()


@dataclass(frozen=True)
class Serving:
    """What the endpoints work with, from start-up to shutdown."""

    settings: Settings
    model: LoadedModel
    inference: InferenceThread


def _errors(descriptions: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"model": ErrorResponse, "description": description}
        for status, description in descriptions.items()
    }


_CLASSIFY_ERRORS = _errors(
    {
        400: "`malformed_json`: not JSON, not UTF-8, nested too deep, half a surrogate pair",
        413: "`body_too_large`, `too_many_titles`, `title_too_long`: send less",
        415: "`unsupported_media_type`, `unsupported_encoding`: send plain JSON",
        422: "`not_an_object`, `missing_titles`, `titles_not_a_list`, `title_not_a_string`, "
        "`empty_titles`, `blank_title`, `invalid_top_k`, `top_k_out_of_range`, "
        "`invalid_calibrated`, `unknown_field`: send something else",
        500: "`internal_error`: the cause is in the service's log",
        503: "`inference_timeout`: the model did not answer in time",
    }
)
_CLASSIFY_BODY = {
    "required": True,
    "content": {"application/json": {"schema": ClassifyRequest.model_json_schema()}},
}


@router.post(
    "/v1/classify",
    summary="Classify titles",
    responses=_CLASSIFY_ERRORS,
    openapi_extra={"requestBody": _CLASSIFY_BODY},
)
async def classify_titles(request: Request) -> ClassifyResponse:
    """Answers each title, in order, with its most probable classes. All titles or none."""
    serving: Serving = request.app.state.serving
    check_headers(request.headers)
    asked = read_request(await request.body())
    request.state.titles = len(asked.titles)
    check_limits(asked, serving.settings)
    top_k = asked.top_k or serving.settings.default_top_k
    predictions = await serving.inference.run(
        partial(classify, serving.model, asked.titles, top_k, asked.calibrated),
        serving.settings.inference_timeout_s,
    )
    manifest = serving.model.manifest
    return ClassifyResponse(
        model=ModelIdentity(name=manifest.name, version=manifest.version),
        results=[_result(index, prediction) for index, prediction in enumerate(predictions)],
    )


@router.get("/health", summary="Is the process alive?")
async def health() -> HealthResponse:
    """Answers without asking the model: a busy or broken model does not restart the process."""
    return HealthResponse()


@router.get(
    "/ready",
    summary="Does the model answer?",
    responses=_errors({503: "`not_ready`: the inference failed or did not end in time"}),
)
async def ready(request: Request) -> ReadyResponse:
    """Scores a title with the model, as a request would."""
    serving: Serving = request.app.state.serving
    started_s = time.perf_counter()
    try:
        await serving.inference.run(partial(probe, serving.model), serving.settings.ready_timeout_s)
    except ServiceError as error:
        raise Unavailable("not_ready", error.message) from error
    except Exception as error:
        logger.exception("the inference of /ready failed")
        reason = f"an inference failed with {type(error).__name__}; the cause is in the log"
        raise Unavailable("not_ready", reason) from error
    return ReadyResponse(inference_ms=round(1000 * (time.perf_counter() - started_s), 3))


@router.get("/v1/models", summary="Which model answers?")
async def models(request: Request) -> ModelsResponse:
    """Name, version, classes and recorded scores of the model that is served."""
    serving: Serving = request.app.state.serving
    return ModelsResponse(models=[_describe(serving.model.manifest)])


def _result(index: int, prediction: Prediction) -> TitleResult:
    ranking = [_ranked(ranked) for ranked in prediction.ranking]
    return TitleResult(
        index=index,
        **ranking[0].model_dump(),
        top_k=ranking,
        truncated=prediction.truncated,
        readable=prediction.readable,
        unknown=prediction.unknown,
    )


def _ranked(ranked: Ranked) -> RankedClass:
    return RankedClass(label=ranked.label, display_name=ranked.display_name, score=ranked.score)


def _describe(manifest: Manifest) -> ModelDescription:
    return ModelDescription(
        name=manifest.name,
        version=manifest.version,
        route=manifest.route,
        labels=[
            LabelDescription(label=label, display_name=display_name)
            for label, display_name in zip(manifest.labels, manifest.display_names, strict=True)
        ],
        max_length=manifest.max_length,
        temperature=manifest.temperature,
        threshold=manifest.threshold,
        metrics=manifest.provenance.metrics,
        remarks=[Remark(**asdict(remark)) for remark in manifest.provenance.remarks],
        size_bytes=sum(file["bytes"] for file in manifest.files.values()),
    )
