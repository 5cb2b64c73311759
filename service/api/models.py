"""`/v1/models`: what is served."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends

from models.artifact import Manifest
from service.api.schemas import LabelDescription, ModelDescription, ModelsResponse, Remark
from service.serving import Serving, serving_of

router = APIRouter()


@router.get("/v1/models", summary="Which model answers?")
async def models(serving: Annotated[Serving, Depends(serving_of)]) -> ModelsResponse:
    """Name, version, classes and recorded scores of the model that is served."""
    return ModelsResponse(models=[_describe(serving.model.manifest)])


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
