"""How the OpenAPI document describes what is answered when it cannot be as it was asked."""

from __future__ import annotations

from typing import Any

from service.api.schemas import ProblemDocument
from service.problems import MEDIA_TYPE


def responses(descriptions: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses`, by HTTP status."""
    schema = {"$ref": f"#/components/schemas/{ProblemDocument.__name__}"}
    return {
        status: {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status, description in descriptions.items()
    }
