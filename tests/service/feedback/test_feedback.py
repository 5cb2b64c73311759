"""Corrections: sent, kept through kill -9, exported as training data, told as accuracy."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli import main
from models.errors import FileError, UsageError
from models.labels import Labels
from service.app import create_app
from service.feedback.keeping import Contradiction, Correction
from service.feedback.store import FeedbackStore
from service.keys import AddKey, add_key
from titles import Source, read

ANSWER = {"label": "game", "score": 0.6, "name": "keywords", "version": "0123456789ab"}
SENT = {"title": "国足客场小胜", "label": "sports", "answer": ANSWER, "id": "one"}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'feedback.db'}"


@pytest.fixture
def kept(settings, model, url: str) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update={"feedback": url}), model)) as client:
        yield client


def all_of(url: str) -> list[Correction]:
    store = FeedbackStore(url)
    found = [correction for _, correction in store]
    store.close()
    return found


def test_a_correction_is_kept_with_the_answer_that_it_corrects(kept: TestClient, url: str):
    answer = kept.post("/v1/feedback", json=SENT)
    assert (answer.status_code, answer.json()) == (201, {"id": "one"})
    assert all_of(url) == [
        Correction("one", "国足客场小胜", "sports", "game", 0.6, "keywords", "0123456789ab")
    ]


def test_the_same_sent_twice_is_kept_once(kept: TestClient, url: str):
    assert [kept.post("/v1/feedback", json=SENT).status_code for _ in range(3)] == [201, 200, 200]
    assert len(all_of(url)) == 1


def test_another_with_the_same_id_is_409(kept: TestClient):
    kept.post("/v1/feedback", json=SENT)
    problem = kept.post("/v1/feedback", json={**SENT, "label": "stocks"}).json()
    assert (problem["status"], problem["code"]) == (409, "id_taken")


def test_without_an_id_each_is_new_and_none_of_the_classes_is_a_correction_too(kept, url):
    body = {name: value for name, value in SENT.items() if name != "id"} | {"label": None}
    ids = {kept.post("/v1/feedback", json=body).json()["id"] for _ in range(2)}
    assert len(ids) == len(all_of(url)) == 2
    assert all_of(url)[0].label is None


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"label": "cars"}, "unknown_label", "label"),
        ({"label": 7}, "invalid_label", "label"),
        ({"title": " "}, "blank_title", "title"),
        ({"title": None}, "invalid_title", "title"),
        ({"answer": {"label": "game"}}, "missing_answer", "answer"),
        ({"answer": "game"}, "invalid_answer", "answer"),
        ({"id": "x" * 65}, "invalid_id", "id"),
        ({"more": 1}, "unknown_field", "more"),
    ],
)
def test_what_is_no_correction_is_422_and_not_kept(kept, url, change, code, where):
    problem = kept.post("/v1/feedback", json=SENT | change).json()
    assert (problem["status"], problem["code"], problem["where"]) == (422, code, where)
    assert all_of(url) == []


def test_a_service_that_keeps_none_says_so(client):
    problem = client.post("/v1/feedback", json=SENT).json()
    assert (problem["status"], problem["code"]) == (404, "feedback_not_kept")


def test_who_corrected_is_kept_and_needs_the_scope(settings, model, url, tmp_path: Path):
    file = tmp_path / "keys.txt"
    keys = {of: add_key(AddKey(name=of, file=file, scope=(of,))) for of in ("classify", "feedback")}
    app = create_app(settings.model_copy(update={"feedback": url, "keys_file": file}), model)
    with TestClient(app) as client:
        for scope, status in (("classify", 403), ("feedback", 201)):
            headers = {"authorization": f"Bearer {keys[scope]}"}
            assert client.post("/v1/feedback", json=SENT, headers=headers).status_code == status
    assert [correction.by for correction in all_of(url)] == ["feedback"]


def test_what_was_acknowledged_survives_kill_9(url: str):
    program = """
import sys
from service.feedback.store import FeedbackStore
from service.feedback.keeping import Correction
store = FeedbackStore(sys.argv[1])
for i in range(10_000):
    store.add(Correction(str(i), "t", "a", "b", 0.5, "m", "v"))
    print(i, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, url], stdout=subprocess.PIPE, text=True
    )
    acknowledged = [process.stdout.readline().strip() for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    acknowledged += process.communicate()[0].split()
    kept = {correction.id for correction in all_of(url)}
    assert set(acknowledged) <= kept
    assert len(kept) <= len(acknowledged) + 1


def test_two_stores_of_one_database_keep_what_both_were_given(url: str):
    first, second = FeedbackStore(url), FeedbackStore(url)
    for i in range(20):
        (first, second)[i % 2].add(Correction(str(i), "t", "a", "b", None, "m", "v"))
    with pytest.raises(Contradiction):
        second.add(Correction("0", "other", "a", "b", None, "m", "v"))
    assert len(list(first)) == 20


def test_a_database_is_in_wal_mode_and_at_the_last_migration(url: str, tmp_path: Path):
    FeedbackStore(url).close()
    with sqlite3.connect(tmp_path / "feedback.db") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("nonsense", UsageError),
        ("oracle+nothing://user:secret@host/db", UsageError),
        ("sqlite:////nowhere/at/all.db", FileError),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_without_its_password(url, error):
    with pytest.raises(error) as caught:
        FeedbackStore(url)
    assert "secret" not in str(caught.value)


@pytest.fixture
def corrected(url: str) -> str:
    store = FeedbackStore(url)
    rows = [
        ("股市大涨", "stocks", "stocks"),
        ("国足小胜", "stocks", "game"),
        ("国足小胜", "sports", "game"),  # the last one counts
        ("红烧肉的做法", None, "game"),
    ]
    for i, (title, label, answered) in enumerate(rows):
        store.add(Correction(str(i), title, label, answered, 0.5, "m", "v1", "editor"))
    store.close()
    return url


def test_an_export_is_training_data_with_its_provenance(corrected: str, tmp_path: Path, capsys):
    output = tmp_path / "corrected.jsonl"
    assert main(["feedback", "export", corrected, "--output", str(output)]) == 0
    assert "2 titles" in capsys.readouterr().out
    found = read(Source(output), Labels.of(["stocks", "sports", "game"]))
    assert list(zip(found.titles, found.label_ids.tolist(), strict=True)) == [
        ("股市大涨", 0),
        ("国足小胜", 1),
    ]
    line = json.loads(output.read_text("utf-8").splitlines()[1])
    assert (line["answered"], line["model"], line["version"], line["by"]) == (
        "game", "m", "v1", "editor",
    )  # fmt: skip


def test_titles_of_no_class_are_exported_where_asked(corrected: str, tmp_path: Path):
    output = tmp_path / "corrected.jsonl"
    arguments = ["feedback", "export", corrected, "--output", str(output), "--with-outside"]
    assert main(arguments) == 0
    labels = [json.loads(line)["label"] for line in output.read_text("utf-8").splitlines()]
    assert labels == ["stocks", "sports", "outside"]


def test_a_report_tells_how_often_people_agree(corrected: str, capsys):
    assert main(["feedback", "report", corrected]) == 0
    told = capsys.readouterr().out
    assert "  m v1        4   25.0%\n" in told
    assert "stocks         1  100.0%" in told
    assert "game           3    0.0%" in told
    assert "     1  game was outside" in told


def test_where_there_is_no_feedback_that_is_said(url: str, tmp_path: Path, capsys):
    assert main(["feedback", "report", url]) == 3
    assert "there is no feedback yet" in capsys.readouterr().err
    assert main(["feedback", "export", url, "--output", str(tmp_path / "x.jsonl")]) == 3
    assert not (tmp_path / "x.jsonl").exists()


def test_the_database_is_left_when_the_service_ends(settings, model, url, monkeypatch):
    closed = []
    monkeypatch.setattr(FeedbackStore, "close", lambda store: closed.append(store))
    with TestClient(create_app(settings.model_copy(update={"feedback": url}), model)):
        assert closed == []
    assert len(closed) == 1
