"""From the bytes of a request to its model, or to the error that says what is wrong.

pydantic's parser reads the JSON: it stops at 200 levels, and refuses bytes that are not UTF-8 and
escapes of half a surrogate pair, which no title can contain. Of a key given twice the last counts.
A byte order mark before it is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fastapi import Request as HttpRequest
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from service.problems import InvalidRequest, MalformedBody, Problem, UnsupportedBody

Request = TypeVar("Request", bound=BaseModel)

_JSON_TYPE = re.compile(r"application/([\w.-]+\+)?json", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse a body that is not declared as plain JSON in UTF-8.

    Raises:
        UnsupportedBody: names the header and what it has to be.
    """
    declared = headers.get("content-type", "")
    if not _JSON_TYPE.fullmatch(declared.split(";")[0].strip()):
        raise UnsupportedBody(
            "unsupported_media_type",
            f"the body must be JSON, but its Content-Type is {declared[:50] or 'missing'}; "
            "send the header Content-Type: application/json",
            where="content-type",
        )
    charset = _charset(declared)
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedBody(
            "unsupported_charset",
            f"the body is declared as {charset[:50]}, but JSON is read as UTF-8; send it as that",
            where="content-type",
        )
    refuse_compressed(headers, "JSON")


def refuse_compressed(headers: Mapping[str, str], what: str) -> None:
    """Refuse a body that is not sent as it is.

    Args:
        what: the body is, if not compressed.
    Raises:
        UnsupportedBody: names the header and what it has to be.
    """
    encoding = headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise UnsupportedBody(
            "unsupported_encoding",
            f"compressed bodies ({encoding[:50]}) are not read; send the {what} as it is",
            where="content-encoding",
        )


@dataclass(frozen=True)
class JsonBody(Generic[Request]):
    """How a request in JSON is read, and what is said of one that cannot be.

    Attributes:
        request: its model; fields that it does not have are refused if it keeps them as extra.
        example: a body that would do.
        expected: by field, the code of the error and what the field must be.
    """

    request: type[Request]
    example: str
    expected: Mapping[str, tuple[str, str]]

    @property
    def openapi(self) -> dict[str, Any]:
        """What an endpoint's `openapi_extra` says of the body."""
        schema = self.request.model_json_schema()
        schema = _resolved(schema, schema.pop("$defs", {}))
        return {
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}
        }

    async def of(self, request: HttpRequest) -> Request:
        """The request's body, read.

        Raises:
            UnsupportedBody: its headers do not declare JSON.
            MalformedBody, InvalidRequest: see `read`.
        """
        check_headers(request.headers)
        return self.read(await _whole(request.receive))

    def read(self, body: bytes) -> Request:
        """Parse a body.

        Raises:
            MalformedBody: not JSON.
            InvalidRequest: JSON, but a field is missing, unknown or of the wrong type.
        """
        try:
            request = self.request.model_validate_json(body.removeprefix(_BOM))
        except ValidationError as error:
            raise self._explain(error) from error
        for name in request.model_extra or ():
            *others, last = self.request.model_fields
            raise InvalidRequest(
                "unknown_field",
                f"there is no field '{name[:50]}'; a request has {', '.join(others)} and {last}",
                where=name[:50],
            )
        return request

    def _explain(self, error: ValidationError) -> Problem:
        problem = error.errors(include_url=False)[0]
        if problem["type"] == "json_invalid":
            cause = problem["ctx"]["error"]
            return MalformedBody(
                "malformed_json",
                f"the body is not valid JSON in UTF-8: {cause}; send {self.example}",
                where="body",
            )
        came, field = json_type(problem["input"]), str(next(iter(problem["loc"]), "body"))
        if problem["type"] == "model_type" and field == "body":
            return InvalidRequest(
                "not_an_object",
                f"the body is {came}; send an object such as {self.example}",
                where="body",
            )
        if problem["type"] == "missing":
            return InvalidRequest(
                f"missing_{field}", f"the field {field} is missing; send {self.example}", field
            )
        code, expected = self.expected[field]
        return InvalidRequest(code, f"{expected}, but {came} came", where=field)


async def _whole(receive: Receive) -> bytes:
    """A body, of one message or of several.

    Raises:
        ClientDisconnect: it does not come to its end.
    """
    chunks = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks)


def _resolved(schema: Any, parts: Mapping[str, Any]) -> Any:
    """A schema with its parts in the places that refer to them, which no longer need each other."""
    if isinstance(schema, list):
        return [_resolved(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolved(parts[schema["$ref"].removeprefix("#/$defs/")], parts)
    return {key: _resolved(value, parts) for key, value in schema.items()}


def _charset(content_type: str) -> str:
    """The one that is declared, in lower case; UTF-8 where none is."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return "utf-8"


def json_type(value: Any) -> str:
    names = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return names.get(type(value), "something else")
