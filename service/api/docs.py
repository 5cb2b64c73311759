"""`/docs`: Swagger UI, whose files come with a package, so that it works without a network."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from service.problems import NotFound

router = APIRouter(include_in_schema=False)

_FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """The API with its examples, to be tried out; addresses are as the proxy's prefix has them."""
    root: str = request.scope.get("root_path", "").rstrip("/")
    script, style, icon = (f"{root}/docs/{name}" for name in _FILES)
    return get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="biaoti",
        swagger_js_url=script,
        swagger_css_url=style,
        swagger_favicon_url=icon,
        swagger_ui_parameters={"tryItOutEnabled": True, "displayRequestDuration": True},
    )


@router.get("/docs/{name}")
async def docs_file(name: str) -> Response:
    """One of the files that the page is made of."""
    if name not in _FILES:
        raise NotFound("unknown_file", f"the documentation has no file {name[:50]}")
    content = files("fastapi_swagger.resources").joinpath(name).read_bytes()
    return Response(content, media_type=_FILES[name], headers={"cache-control": "max-age=86400"})
