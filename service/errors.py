"""What the service answers when it cannot classify: one tree, one JSON shape.

ServiceError                 the body of every answer that is not a success
├── MalformedBody       400  not JSON
├── TooLarge            413  more than a limit allows: send less
├── UnsupportedBody     415  not declared as JSON
├── InvalidRequest      422  JSON, but not a request: send something else
└── Unavailable         503  nothing wrong with the request: send it again later
"""

from __future__ import annotations

from http import HTTPStatus
from typing import ClassVar

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from models.errors import BiaotiError

_CODES = {404: "unknown_route", 405: "method_not_allowed"}


class ServiceError(BiaotiError):
    """A request that is answered with `{"error": {"code", "message", "where"}}`.

    Args:
        code: a name that programs can branch on; it never changes.
        message: what was expected, what came and the remedy.
        where: the part of the request that is meant, such as `titles[3]`.
    """

    status: ClassVar[int] = 500

    def __init__(self, code: str, message: str, where: str | None = None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where


class MalformedBody(ServiceError):
    """The body is not JSON."""

    status = 400


class TooLarge(ServiceError):
    """The body, the list of titles or a title exceeds a limit."""

    status = 413


class UnsupportedBody(ServiceError):
    """The headers do not declare the body as plain JSON."""

    status = 415


class InvalidRequest(ServiceError):
    """The body is JSON, but not a request."""

    status = 422


class Unavailable(ServiceError):
    """The model does not answer, or not in time."""

    status = 503


def error_response(
    status: int,
    code: str,
    message: str,
    where: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """The one shape of every error; `where` is left out where it says nothing."""
    error = {"code": code, "message": message} | ({"where": where} if where else {})
    return JSONResponse({"error": error}, status_code=status, headers=headers)


def install_error_handlers(app: FastAPI) -> None:
    """Answer every error in the one shape."""
    app.add_exception_handler(ServiceError, _on_service_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(ClientDisconnect, _on_client_disconnect)
    app.add_exception_handler(Exception, _on_unexpected_error)


async def _on_service_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ServiceError)
    return error_response(error.status, error.code, error.message, error.where)


async def _on_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    message = {
        404: f"no endpoint {request.url.path[:100]}; all endpoints are listed at /docs",
        405: f"{request.method} is not possible here; use {headers.get('allow', 'another method')}",
    }.get(error.status_code, error.detail)
    code = _CODES.get(error.status_code, HTTPStatus(error.status_code).name.lower())
    return error_response(error.status_code, code, message, headers=headers)


async def _on_client_disconnect(request: Request, error: Exception) -> JSONResponse:
    # nobody reads it, but without an answer the server logs a failure of its own
    return error_response(400, "client_disconnected", "the client left before the body was whole")


async def _on_unexpected_error(request: Request, error: Exception) -> JSONResponse:
    # the server logs the exception with its stack trace: it is raised again after the answer
    return error_response(500, "internal_error", "the service failed; the cause is in its log")
