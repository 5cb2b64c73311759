"""`/`: a page for people, which asks the API as any client does."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Response

from service.problems import NotFound

router = APIRouter(include_in_schema=False)

_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
    "csv.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


@router.get("/")
async def page() -> Response:
    """Nothing is fetched from elsewhere; the policy forbids it."""
    return _file("index.html", "text/html; charset=utf-8")


@router.get("/web/{name}")
async def page_file(name: str) -> Response:
    """One of the files that the page is made of."""
    if name not in _FILES:
        raise NotFound("unknown_file", f"the page has no file {name[:50]}")
    return _file(name, _FILES[name])


def _file(name: str, media_type: str) -> Response:
    content = files("service").joinpath("web", name).read_bytes()
    return Response(content, media_type=media_type, headers=_HEADERS)
