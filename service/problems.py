"""What the service answers when it cannot do as it was asked: RFC 9457, one tree of errors.

Problem                      the body of every answer that is not a success
├── MalformedBody       400  not what the headers say it is
├── Unauthorised        401  no key, or one that is not known
├── Forbidden           403  a key that does not reach so far
├── NotFound            404  there is no such thing
├── Conflict            409  it contradicts what is there
├── TooLarge            413  more than a limit allows: send less
├── UnsupportedBody     415  not declared as what is read here
├── InvalidRequest      422  well formed, but not a request: send something else
├── Overloaded          429  too much is waiting: come again after Retry-After seconds
├── InferenceFailed     500  the model hung
├── Unavailable         503  the service is starting, broken or ending: ask another, or later
│   └── Draining
└── DeadlineExceeded    504  no answer in time
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, ClassVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from models.errors import BiaotiError

MEDIA_TYPE = "application/problem+json"
_CODES = {404: "unknown_endpoint", 405: "method_not_allowed"}


class Problem(BiaotiError):
    """A request that is answered with a problem document.

    Args:
        code: a name that programs can branch on; it never changes.
        detail: what was expected, what came and the remedy.
        where: the part of the request that is meant, such as `titles[3]`.
    """

    status: ClassVar[int] = 500
    headers: dict[str, str] | None = None

    def __init__(self, code: str, detail: str, where: str | None = None):
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.where = where


class MalformedBody(Problem):
    """The body is not what its headers say it is."""

    status = 400


class Unauthorised(Problem):
    """No key came, or one that is not known."""

    status = 401

    def __init__(self, code: str, detail: str):
        super().__init__(code, detail, "authorization")
        self.headers = {"www-authenticate": "Bearer"}


class Forbidden(Problem):
    """The key does not allow this.

    Args:
        name: of who has the key.
        scope: that it would need.
    """

    status = 403

    def __init__(self, name: str, scope: str):
        detail = f"the key of {name} does not have the scope '{scope}'"
        super().__init__("scope_missing", detail, "authorization")


class NotFound(Problem):
    """There is no such thing."""

    status = 404


class Conflict(Problem):
    """It contradicts what is there."""

    status = 409


class TooLarge(Problem):
    """The body, the list of titles or a title exceeds a limit."""

    status = 413


class UnsupportedBody(Problem):
    """The headers do not declare the body as something that is read here."""

    status = 415


class InvalidRequest(Problem):
    """The body is well formed, but not a request."""

    status = 422


class Overloaded(Problem):
    """More titles wait than there is room for.

    Args:
        waiting: titles.
        retry_after_s: seconds after which there will be room, as things are.
    """

    status = 429

    def __init__(self, waiting: int, retry_after_s: int):
        super().__init__(
            "overloaded",
            f"{waiting:,} titles wait for their scores; try again in {retry_after_s} s, or with "
            "fewer titles",
        )
        self.retry_after_s = retry_after_s
        self.headers = {"retry-after": str(retry_after_s)}


class InferenceFailed(Problem):
    """The model hung at these titles, or at others of the same batch."""

    def __init__(self, after_s: float):
        super().__init__(
            "inference_failed", f"the model hung for {after_s:g} s and was given up; try again"
        )


class Unavailable(Problem):
    """The model does not answer, or not yet."""

    status = 503


class Draining(Unavailable):
    """The service has been told to end."""

    def __init__(self) -> None:
        super().__init__("draining", "the service is about to end; ask another replica")
        self.headers = {"connection": "close", "retry-after": "1"}


class DeadlineExceeded(Problem):
    """The scores were not there in time.

    Args:
        timeout_s: the time that there was.
    """

    status = 504

    def __init__(self, timeout_s: float):
        super().__init__(
            "deadline_exceeded",
            f"the model did not answer within {timeout_s:g} s; try again later, or with fewer "
            "titles",
        )


def problem_response(
    status: int,
    code: str,
    detail: str,
    where: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """A problem document (RFC 9457), with a `code` and, where it says something, `where`."""
    content = document(status, code, detail, where)
    return JSONResponse(content, status, headers, media_type=MEDIA_TYPE)


def document(status: int, code: str, detail: str, where: str | None = None) -> dict[str, Any]:
    """The members of a problem document."""
    title = HTTPStatus(status).phrase
    told = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code}
    return told | ({"where": where} if where else {})


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every error in the one shape."""
    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(RequestValidationError, _on_invalid_parameter)
    app.add_exception_handler(ClientDisconnect, on_client_disconnect)
    app.add_exception_handler(Exception, _on_unexpected_error)


async def on_problem(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Problem)
    return problem_response(error.status, error.code, error.detail, error.where, error.headers)


async def _on_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    detail = {
        404: f"no endpoint {request.url.path[:100]}; all endpoints are listed at /docs",
        405: f"{request.method} is not possible here; use {headers.get('allow', 'another method')}",
    }.get(error.status_code, error.detail)
    code = _CODES.get(error.status_code, HTTPStatus(error.status_code).name.lower())
    return problem_response(error.status_code, code, detail, headers=headers)


async def _on_invalid_parameter(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name, came = str(first["loc"][-1]), str(first.get("input"))[:50]
    detail = f"{name} is {came!r}: {first['msg']}"
    return problem_response(422, "invalid_parameter", detail, where=name)


async def on_client_disconnect(request: Request, error: Exception) -> JSONResponse:
    # nobody reads it, but without an answer the server logs a failure of its own
    return problem_response(400, "client_disconnected", "the client left before its answer")


async def _on_unexpected_error(request: Request, error: Exception) -> JSONResponse:
    # the server logs the exception with its stack trace: it is raised again after the answer
    return problem_response(500, "internal_error", "the service failed; the cause is in its log")
