"""From the bytes of a request to a ClassifyRequest, or to the error that says what is wrong.

pydantic's parser reads the JSON: it stops at 200 levels, and refuses bytes that are not UTF-8 and
escapes of half a surrogate pair, which no title can contain. Of a key given twice the last counts.
A byte order mark before it is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from service.api.schemas import ClassifyRequest
from service.problems import InvalidRequest, MalformedBody, Problem, UnsupportedBody

_EXAMPLE = '{"titles": ["…"]}'
_JSON_TYPE = re.compile(r"application/([\w.-]+\+)?json", re.IGNORECASE)
_EXPECTED = {
    "titles": ("titles_not_a_list", "titles must be a list of strings"),
    "top_k": ("invalid_top_k", "top_k must be a whole number"),
    "calibrated": ("invalid_calibrated", "calibrated must be true or false"),
    "strict": ("invalid_strict", "strict must be true or false"),
}
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
    encoding = headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise UnsupportedBody(
            "unsupported_encoding",
            f"compressed bodies ({encoding[:50]}) are not read; send the JSON as it is",
            where="content-encoding",
        )


def read_request(body: bytes) -> ClassifyRequest:
    """Parse a body.

    Raises:
        MalformedBody: not JSON.
        InvalidRequest: JSON, but a field is missing, unknown or of the wrong type.
    """
    try:
        request = ClassifyRequest.model_validate_json(body.removeprefix(_BOM))
    except ValidationError as error:
        raise _explain(error) from error
    for name in request.model_extra or ():
        raise InvalidRequest(
            "unknown_field",
            f"there is no field '{name[:50]}'; a request has titles, top_k, calibrated "
            "and strict",
            where=name[:50],
        )
    return request


def _explain(error: ValidationError) -> Problem:
    problem = error.errors(include_url=False)[0]
    if problem["type"] == "json_invalid":
        return MalformedBody(
            "malformed_json",
            f"the body is not valid JSON in UTF-8: {problem['ctx']['error']}; send {_EXAMPLE}",
            where="body",
        )
    came = json_type(problem["input"])
    if problem["type"] == "model_type":
        return InvalidRequest(
            "not_an_object", f"the body is {came}; send an object such as {_EXAMPLE}", where="body"
        )
    if problem["type"] == "missing":
        return InvalidRequest(
            "missing_titles", f"the field titles is missing; send {_EXAMPLE}", where="titles"
        )
    return _wrong_type(problem["loc"], came)


def _wrong_type(location: tuple[int | str, ...], came: str) -> InvalidRequest:
    field = location[0]
    code, expected = _EXPECTED[str(field)]
    return InvalidRequest(code, f"{expected}, but {came} came", where=str(field))


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
