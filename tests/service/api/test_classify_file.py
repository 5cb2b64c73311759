"""POST /v1/classify/file: the rows of a file, in order, with their classes."""

from __future__ import annotations

import csv
import gc
import io
import json
import threading

import pytest
from starlette.testclient import TestClient

from service.api.sent_file import Asked, SentFile
from service.app import create_app

PATH = "/v1/classify/file"
ADDED = ["class", "class_name", "confidence", "unknown", "problem"]


def table(answer) -> list[list[str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def ask(client, content: bytes, media: str = "text/csv", **query):
    return client.post(PATH, content=content, headers={"content-type": media}, params=query)


def test_a_table_is_answered_with_its_rows_and_their_classes(client):
    answer = ask(client, "id,title\n7,股股股\n8,球\n".encode())
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["x-model"] == "keywords/0123456789ab"
    assert table(answer) == [
        ["id", "title", *ADDED],
        ["7", "股股股", "stocks", "股票", "0.6914", "false", ""],
        ["8", "球", "sports", "体育", "0.4519", "false", ""],
    ]


def test_a_row_without_a_title_keeps_its_place_and_says_why(client):
    rows = table(ask(client, f"title,n\n股,1\n\n ,2\n{'球' * 21},3\n球,4,5\n玩,6\n".encode()))
    assert [(row[0], row[2]) for row in rows[1:]] == [
        ("股", "stocks"), ("", ""), (" ", ""), ("球" * 21, ""), ("球", ""), ("玩", "game"),
    ]  # fmt: skip
    assert [row[6] for row in rows[1:]] == [
        "", "the line is blank", "the title is blank", "the title has 21 characters, over 20",
        "columns: 3, expected 2 as in the header (a cell that holds the delimiter needs quotes)",
        "",
    ]  # fmt: skip
    assert rows[5][7:] == ["5"]


@pytest.mark.parametrize(
    ("content", "mark"),
    [
        ("标题,n\r\n股股,1\r\n".encode("gb18030"), "\ufeff"),
        ("\ufeff标题,n\r\n股股,1\r\n".encode("utf-16-le"), "\ufeff"),
        ("\ufeff标题,n\r\n股股,1\r\n".encode(), "\ufeff"),
        ("标题,n\r\n股股,1\r\n".encode(), ""),
    ],
)
def test_it_opens_in_excel_if_it_did_before(client, content, mark):
    answer = ask(client, content)
    assert answer.text.startswith(f"{mark}标题,n,class,")
    assert table(answer)[1][:3] == ["股股", "1", "stocks"]


@pytest.mark.parametrize(
    ("content", "media", "query", "answered"),
    [
        ('{"id": 1, "title": "球球"}', "application/x-ndjson", {}, "application/x-ndjson"),
        ('{"id": 1, "title": "球球"}', "application/octet-stream", {}, "application/x-ndjson"),
        ("id\ttitle\n1\t球球", "text/tab-separated-values", {}, "text/csv"),
        ("id;name\n1;球球", "text/plain", {"title_column": "name"}, "text/csv"),
        ("球球", "text/plain; charset=utf-8", {}, "text/tab-separated-values"),
        ("球球", "application/x-www-form-urlencoded", {}, "text/tab-separated-values"),
        ("title\n球球", "application/x-www-form-urlencoded", {}, "text/csv"),
        ("title\t\n", "text/plain", {"format": "txt"}, "text/tab-separated-values"),
    ],
)
def test_a_format_is_declared_or_told_by_the_first_line(client, content, media, query, answered):
    answer = ask(client, content.encode(), media, **query)
    assert (answer.status_code, answer.headers["content-type"]) == (
        200, f"{answered}; charset=utf-8",
    )  # fmt: skip
    assert ("sports" in answer.text) == ("球" in content)


def test_json_lines_keep_their_keys(client):
    lines = ask(client, b'{"title": "\\u7403", "n": [1]}\n[]\n', "application/jsonl").text
    assert [json.loads(line) for line in lines.splitlines()] == [
        {"title": "球", "n": [1], "class": "sports", "class_name": "体育", "confidence": 0.4519,
         "unknown": False, "problem": None},
        {"line": "[]", "class": None, "class_name": None, "confidence": None, "unknown": None,
         "problem": "a JSON list, not an object"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "media", "query", "status", "code", "said"),
    [
        (b"", "text/csv", {}, 422, "unreadable_file", "the file is empty"),
        (b"a,b\n1,2\n", "text/csv", {}, 422, "unreadable_file", "?title_column="),
        (b"[1]", "application/x-ndjson", {}, 422, "unreadable_file", "one JSON array"),
        (b"title\n", "multipart/form-data; boundary=x", {}, 415, "unsupported_media_type",
         "--data-binary"),
        (b"title\n", "text/csv", {"model": "other"}, 404, "unknown_model", "default"),
        (b"title\n", "text/csv", {"format": "xls"}, 422, "invalid_parameter", "'csv'"),
        (b"title\n" + b"x" * 8192, "text/csv", {}, 413, "body_too_large", "8192 bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_before_anything_is_scored(
    model, settings, content, media, query, status, code, said
):
    settings = settings.model_copy(update={"max_file_bytes": 8192})
    with TestClient(create_app(settings, model)) as client:
        answer = ask(client, content, media, **query)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["code"] == code
    assert said in told["detail"]
    assert "biaoti-" not in told["detail"]  # the temporary file is nobody's business


def test_a_file_may_be_larger_than_other_bodies(client, settings):
    content = ("title\n" + "球队\n" * 2000).encode()
    assert len(content) > settings.max_body_bytes
    assert [row[1] for row in table(ask(client, content))[1:]] == ["sports"] * 2000


def test_rows_come_in_their_order_and_are_counted(client, grown, caplog):
    caplog.set_level("INFO", "biaoti.access")
    titles = ["股", "球", "玩"] * 100
    rows = table(ask(client, "\n".join(["title", *titles]).encode()))
    assert [row[0] for row in rows[1:]] == titles
    assert [row[1] for row in rows[1:]] == ["stocks", "sports", "game"] * 100
    assert grown("biaoti_answers_total", label="game") == 100
    assert "300 titles" in caplog.text


def test_the_first_rows_are_answered_while_the_others_are_scored(client, route):
    scored, go_on = [], threading.Event()

    def wait() -> None:
        scored.append(1)
        assert len(scored) < 8 or go_on.wait(30)

    route.before_scoring = wait
    content = ("title\n" + "球\n" * 2000).encode()
    with client.stream("POST", PATH, content=content, headers={"content-type": "text/csv"}) as got:
        chunks = got.iter_bytes()
        first = next(chunks)
        go_on.set()
        rest = b"".join(chunks)
    assert first.startswith(b"title,class,")
    assert (first + rest).count(b"sports") == 2000


def test_a_file_waits_where_there_is_no_room(model, settings):
    settings = settings.model_copy(update={"max_waiting_titles": 70})
    with TestClient(create_app(settings, model)) as client:
        rows = table(ask(client, ("title\n" + "球\n" * 500).encode()))
    assert [row[1] for row in rows[1:]] == ["sports"] * 500


def test_titles_at_which_the_model_fails_say_so_and_others_are_answered(client, route):
    calls = []

    def fail_at_the_second() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise ArithmeticError("NaN")

    route.before_scoring = fail_at_the_second
    rows = table(ask(client, ("title\n" + "球\n" * 640).encode()))
    failed = [row for row in rows[1:] if row[5].startswith("the model failed")]
    assert 0 < len(failed) <= 64
    assert len([row for row in rows[1:] if row[1] == "sports"]) == 640 - len(failed)


def test_no_temporary_file_stays(client, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ask(client, "title\n球\n".encode())
    ask(client, b"a,b\n")
    ask(client, b"")
    assert list(tmp_path.iterdir()) == []


def test_where_a_file_cannot_be_kept_the_service_says_so(client, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    answer = ask(client, "title\n球\n".encode())
    assert (answer.status_code, answer.json()["code"]) == (503, "no_room")


def test_a_file_whose_answer_is_never_asked_for_does_not_stay(tmp_path):
    path = tmp_path / "sent"
    path.write_text("title\n球\n", "utf-8")
    rows = SentFile(path, Asked("csv", None, None))
    assert rows.begin().startswith(b"title,class,")
    assert path.exists()
    del rows
    gc.collect()
    assert not path.exists()


def test_a_file_is_answered_to_its_end_when_the_service_is_about_to_end(client, route):
    admission = client.app.state.serving.admission
    calls = []

    def drain_at_the_second() -> None:
        calls.append(1)
        admission.is_draining = len(calls) >= 2

    route.before_scoring = drain_at_the_second
    rows = table(ask(client, ("title\n" + "球\n" * 500).encode()))
    assert [row[1] for row in rows[1:]] == ["sports"] * 500
    assert client.post("/v1/classify", json={"titles": ["球"]}).json()["code"] == "draining"
