"""POST /v1/classify: every request that it cannot answer gets its own 4xx, never a 5xx."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

JSON_HEADERS = {"content-type": "application/json"}


def refusal(client, content: bytes, headers=JSON_HEADERS):
    response = client.post("/v1/classify", content=content, headers=headers)
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == response.status_code
    return response.status_code, problem["code"], problem["detail"], problem.get("where")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"titles": ["A"]} more',
        b'{"titles": ["A",]}',
        b"titles=A",
        b"\xff\xfe",
        b'{"titles": ["\xb9\xc9"]}',
        b'{"titles": ["\\ud800"]}',
        b'{"titles": ["\\udc00 A"]}',
        b'{"titles": ["\xed\xa0\x80"]}',
        b'{"titles": ' + b"[" * 2000 + b"]" * 2000 + b"}",
        b"[" * 4000,
    ],
)
def test_what_is_not_json_is_400(client, content):
    status, code, message, where = refusal(client, content)
    assert (status, code, where) == (400, "malformed_json", "body")
    assert message.startswith("the body is not valid JSON in UTF-8: ")


@pytest.mark.parametrize(
    ("body", "code", "where", "message"),
    [
        ([], "not_an_object", "body",
         'the body is an array; send an object such as {"titles": ["…"]}'),
        (None, "not_an_object", "body",
         'the body is null; send an object such as {"titles": ["…"]}'),
        ({}, "missing_titles", "titles", 'the field titles is missing; send {"titles": ["…"]}'),
        ({"titles": "股"}, "titles_not_a_list", "titles",
         "titles must be a list of strings, but a string came"),
        ({"titles": ["股", 7], "strict": True}, "title_not_a_string", "titles[1]",
         "titles[1] is a number; every title must be a string"),
        ({"titles": [["股", "球"]], "strict": True}, "title_not_a_string", "titles[0]",
         "titles[0] is an array; every title must be a string"),
        ({"titles": [float("nan")], "strict": True}, "title_not_a_string", "titles[0]",
         "titles[0] is a number; every title must be a string"),
        ({"titles": []}, "empty_titles", "titles", "titles is empty; send at least one title"),
        ({"titles": ["股", "\u3000\t\u200b"], "strict": True}, "blank_title", "titles[1]",
         "titles[1] is blank (empty, spaces or invisible characters alone); leave it out"),
        ({"titles": [""], "strict": True}, "blank_title", "titles[0]",
         "titles[0] is blank (empty, spaces or invisible characters alone); leave it out"),
        ({"titles": ["股"], "topk": 3}, "unknown_field", "topk",
         "there is no field 'topk'; a request has titles, top_k, calibrated, model and strict"),
        ({"titles": ["股"], "top_k": "3"}, "invalid_top_k", "top_k",
         "top_k must be a whole number, but a string came"),
        ({"titles": ["股"], "top_k": True}, "invalid_top_k", "top_k",
         "top_k must be a whole number, but a boolean came"),
        ({"titles": ["股"], "top_k": float("inf")}, "invalid_top_k", "top_k",
         "top_k must be a whole number, but a number came"),
        ({"titles": ["股"], "top_k": 0}, "top_k_out_of_range", "top_k",
         "top_k is 0; it must be from 1 to 50"),
        ({"titles": ["股"], "top_k": 51}, "top_k_out_of_range", "top_k",
         "top_k is 51; it must be from 1 to 50"),
        ({"titles": ["股"], "calibrated": 1}, "invalid_calibrated", "calibrated",
         "calibrated must be true or false, but a number came"),
        ({"titles": ["股"], "model": 7}, "invalid_model", "model",
         "model must be the name of a model, but a number came"),
        ({"titles": ["股"], "strict": "no"}, "invalid_strict", "strict",
         "strict must be true or false, but a string came"),
    ],
)  # fmt: skip
def test_what_is_not_a_request_is_422(client, body, code, where, message):
    content = json.dumps(body).encode()
    assert refusal(client, content) == (422, code, message, where)


def test_number_with_thousands_of_digits_is_refused_shortly(client):
    status, code, message, _ = refusal(client, b'{"titles": ["A"], "top_k": ' + b"9" * 4000 + b"}")
    assert (status, code) == (422, "top_k_out_of_range")
    assert message == "top_k is 99999999999999999999; it must be from 1 to 50"


def test_too_many_titles_is_413_and_says_how_many(client):
    assert refusal(client, json.dumps({"titles": ["股"] * 5}).encode()) == (
        413,
        "too_many_titles",
        "5 titles came, at most 4 are taken at once; split them over requests",
        "titles",
    )


def test_as_many_titles_and_characters_as_the_limits_allow_are_answered(client):
    """Of three or four bytes each: it is characters that are counted."""
    response = client.post("/v1/classify", json={"titles": ["股" * 20, "\U0001f525" * 20] * 2})
    assert response.status_code == 200


def test_too_long_a_title_in_a_strict_request_is_413_and_names_it(client):
    body = json.dumps({"titles": ["股", "球" * 21], "strict": True}).encode()
    assert refusal(client, body) == (
        413,
        "title_too_long",
        "titles[1] has 21 characters, at most 20 are taken; shorten it",
        "titles[1]",
    )


@pytest.mark.parametrize(
    ("content_type", "shown"),
    [
        ("text/plain", "text/plain"),
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("application/jsonp", "application/jsonp"),
        (None, "missing"),
    ],
)
def test_what_is_not_declared_as_json_is_415(client, content_type, shown):
    headers = {"content-type": content_type} if content_type else {}
    assert refusal(client, b'{"titles": ["A"]}', headers) == (
        415,
        "unsupported_media_type",
        f"the body must be JSON, but its Content-Type is {shown}; "
        "send the header Content-Type: application/json",
        "content-type",
    )


@pytest.mark.parametrize("charset", ["gbk", "GB18030", "utf-16", '"big5"'])
def test_what_is_not_declared_as_utf_8_is_415_and_says_so(client, charset):
    headers = {"content-type": f"application/json; charset={charset}"}
    status, code, detail, where = refusal(client, b'{"titles": ["A"]}', headers)
    assert (status, code, where) == (415, "unsupported_charset", "content-type")
    assert detail.endswith("but JSON is read as UTF-8; send it as that")


@pytest.mark.parametrize("told", ["0", "-1", "1.5", "soon", "", "9" * 10])
def test_a_timeout_that_is_no_number_of_milliseconds_is_422(client, told):
    headers = {**JSON_HEADERS, "x-timeout-ms": told}
    status, code, _, where = refusal(client, b'{"titles": ["A"]}', headers)
    assert (status, code, where) == (422, "invalid_timeout", "x-timeout-ms")


def test_compressed_body_is_415(client):
    headers = {**JSON_HEADERS, "content-encoding": "gzip"}
    status, code, _, where = refusal(client, b"\x1f\x8b", headers)
    assert (status, code, where) == (415, "unsupported_encoding", "content-encoding")


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(st.characters(exclude_categories=()))
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(), inner, max_size=6),
    max_leaves=12,
)
requests = st.fixed_dictionaries(
    {"titles": st.lists(st.text(st.characters(exclude_categories=()), max_size=25), max_size=6)},
    optional={"top_k": values, "calibrated": values, "titel": values},
)
quick = hypothesis_settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(body=values | requests, escaped=st.booleans())
def test_any_json_is_answered_or_refused_but_never_fails(client, body, escaped):
    text = json.dumps(body, ensure_ascii=escaped)
    response = client.post(
        "/v1/classify", content=text.encode("utf-8", "surrogatepass"), headers=JSON_HEADERS
    )
    assert response.status_code in {200, 400, 413, 422}
    if response.status_code == 200:
        results = response.json()["results"]
        assert [result["index"] for result in results] == list(range(len(body["titles"])))
        assert all(("label" in result) != ("error" in result) for result in results)
    else:
        assert response.headers["content-type"] == "application/problem+json"


@quick
@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused_but_never_fail(client, content):
    response = client.post("/v1/classify", content=content, headers=JSON_HEADERS)
    assert response.status_code in {400, 422}
