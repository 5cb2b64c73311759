"""`/`: a page for people, which asks the API as any client does."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Response

from service.api.packaged import packaged_file

router = APIRouter(include_in_schema=False)

_FOLDER = files("service").joinpath("web")
_PAGE = {"index.html": "text/html; charset=utf-8"}
_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
    "csv.js": "text/javascript; charset=utf-8",
    "hour.js": "text/javascript; charset=utf-8",
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
    return packaged_file(_FOLDER, "index.html", _PAGE, _HEADERS)


@router.get("/web/{name}")
async def page_file(name: str) -> Response:
    """One of the files that the page is made of."""
    return packaged_file(_FOLDER, name, _FILES, _HEADERS)
