"""`/v1/models`: what is served, and what is to be loaded anew."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from models.artifact import Manifest
from models.errors import BiaotiError
from service.api.problem_documents import responses
from service.api.schemas import (
    LabelDescription,
    ModelDescription,
    ModelsResponse,
    ReloadResponse,
    Remark,
)
from service.problems import InvalidRequest, Problem
from service.serving import ForAdministration, ForClassifying

router = APIRouter()


@router.get("/v1/models", summary="Which models answer?")
async def models(serving: ForClassifying) -> ModelsResponse:
    """Names, versions, classes and recorded scores of the models that are served."""
    registry = serving.registry
    called: dict[int, list[str]] = {}
    for name in registry.folders:
        called.setdefault(id(registry.find(name)), []).append(name)
    return ModelsResponse(
        models=[
            _describe(engine.model.manifest, called[id(engine)]) for engine in registry.engines
        ],
        keeps_feedback=serving.feedback is not None,
    )


@router.post(
    "/v1/models/{name}/reload",
    summary="Load a model anew",
    responses=responses(
        {
            404: "`unknown_model`: no model is called so",
            422: "`model_refused`: what lies in its folder cannot be opened, or has other classes; "
            "the model that answered before answers on",
        }
    ),
)
async def reload(name: str, serving: ForAdministration) -> ReloadResponse:
    """Looks into the model's folder at once; other workers do within seconds."""
    try:
        manifest = await serving.registry.reload(name)
    except Problem:
        raise
    except BiaotiError as error:
        raise InvalidRequest("model_refused", str(error), where=name) from error
    return ReloadResponse(name=manifest.name, version=manifest.version)


def _describe(manifest: Manifest, called: list[str]) -> ModelDescription:
    return ModelDescription(
        called=called,
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
