"""API keys: made, kept, asked for."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli import main
from models.errors import DataError, UsageError
from service.app import create_app
from service.auth import ApiKey, digest_of, read_keys, require_keys_or_loopback
from service.keys import AddKey, add_key

ASKED = {"titles": ["股"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.txt"


@pytest.fixture
def keys(file: Path) -> dict[str, str]:
    scopes = {"cms": (), "reader": ("feedback",), "boss": ("admin",)}
    return {name: add_key(AddKey(name=name, file=file, scope=of)) for name, of in scopes.items()}


@pytest.fixture
def guarded(settings, model, file, keys):
    """The service with keys."""
    app = create_app(settings.model_copy(update={"keys_file": file}), model)
    with TestClient(app) as client:
        yield client


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_a_key_is_printed_once_and_its_hash_alone_is_kept(file: Path, capsys):
    assert main(["keys", "add", "cms", "--file", str(file)]) == 0

    key = capsys.readouterr().out.strip()
    assert len(key) >= 43
    assert key not in file.read_text()
    assert read_keys(file) == [ApiKey("cms", frozenset({"classify"}), digest_of(key))]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_keys_differ_and_add_up(file: Path, keys: dict[str, str]):
    assert len(set(keys.values())) == 3
    assert [key.name for key in read_keys(file)] == ["cms", "reader", "boss"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cms"], "cms has a key in"),
        (["two words"], "a key's name is one word, not 'two words'"),
        (["#"], "a key's name is one word"),
        (["new", "--scope", "root"], "there is no scope 'root'; there are classify"),
    ],
)
def test_what_is_no_key_is_refused(file, keys, capsys, arguments, message):
    before = file.read_bytes()
    assert main(["keys", "add", *arguments, "--file", str(file)]) == 2
    assert message in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize("line", ["cms", "cms classify", "cms root " + "0" * 64, "cms classify 00"])
def test_a_line_that_is_no_key_is_named(file: Path, line: str):
    file.write_text(f"# keys\n{line}\n")
    with pytest.raises(DataError, match=r"keys\.txt:2: a line must be NAME SCOPE,SCOPE SHA256"):
        read_keys(file)


def test_a_file_without_keys_does_not_open_the_door(settings, model, file: Path):
    file.write_text("# nobody\n")
    with pytest.raises(DataError, match="there is no key"):
        create_app(settings.model_copy(update={"keys_file": file}), model)


@pytest.mark.parametrize("headers", [bearer, lambda key: {"x-api-key": key}])
def test_a_key_with_the_scope_passes(guarded, keys, headers):
    for name in ("cms", "boss"):
        answer = guarded.post("/v1/classify", json=ASKED, headers=headers(keys[name]))
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "missing_key"),
        ({"authorization": "Bearer "}, "missing_key"),
        ({"authorization": "Basic abc"}, "missing_key"),
        (bearer("wrong"), "unknown_key"),
        ({"x-api-key": "wrong"}, "unknown_key"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/classify", "/predict", "/"])
def test_without_a_known_key_nobody_is_answered(guarded, headers, code, path):
    answer = guarded.post(path, json=ASKED, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["code"] == code


def test_a_key_of_another_scope_is_403(guarded, keys):
    answer = guarded.post("/v1/classify", json=ASKED, headers=bearer(keys["reader"]))
    assert answer.status_code == 403
    assert answer.json()["detail"] == "the key of reader does not have the scope 'classify'"


def test_models_and_metrics_want_a_key_and_probes_and_documentation_none(guarded, keys):
    for path in ("/v1/models", "/metrics"):
        assert guarded.get(path).status_code == 401
        assert guarded.get(path, headers=bearer(keys["cms"])).status_code == 200
    for path in ("/health", "/ready", "/docs", "/openapi.json"):
        assert guarded.get(path).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_on_loopback_no_key_is_needed(host: str):
    require_keys_or_loopback(host, [], without_keys=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "news.example"])
def test_elsewhere_one_is_needed_or_the_word_that_none_is(host: str):
    with pytest.raises(UsageError, match=rf"{host} can be reached .* BIAOTI_WITHOUT_KEYS=true"):
        require_keys_or_loopback(host, [], without_keys=False)
    require_keys_or_loopback(host, [], without_keys=True)
    require_keys_or_loopback(host, [ApiKey("cms", frozenset(), "")], without_keys=False)
