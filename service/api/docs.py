"""`/docs`: Swagger UI, whose files come with a package, so that it works without a network.

Where that is not installed (extra `serve`), they are fetched from where FastAPI has them.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from service.api.packaged import packaged_file

router = APIRouter(include_in_schema=False)

_PACKAGE = "fastapi_swagger"
_FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
_ARGUMENTS = ("swagger_js_url", "swagger_css_url", "swagger_favicon_url")
"""Which of FastAPI's each file is for."""
_HEADERS = {"cache-control": "max-age=86400"}


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """The API with its examples, to be tried out; addresses are as the proxy's prefix has them."""
    root: str = request.scope.get("root_path", "").rstrip("/")
    ours: dict[str, Any] = {}
    if find_spec(_PACKAGE):
        ours = dict(zip(_ARGUMENTS, (f"{root}/docs/{name}" for name in _FILES), strict=True))
    return get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="biaoti",
        swagger_ui_parameters={"tryItOutEnabled": True, "displayRequestDuration": True},
        **ours,
    )


@router.get("/docs/{name}")
async def docs_file(name: str) -> Response:
    """One of the files that the page is made of."""
    return packaged_file(files(f"{_PACKAGE}.resources"), name, _FILES, _HEADERS)
