"""Settings: what wins over what, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.errors import UsageError
from service.settings import Settings, read_settings
from service.settings_page import settings_page


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"BIAOTI_{name.upper()}", raising=False)


def test_binds_to_loopback_unless_told_otherwise():
    assert (Settings().host, Settings().port) == ("127.0.0.1", 8000)


def test_argument_wins_over_environment_and_environment_over_default(monkeypatch):
    monkeypatch.setenv("BIAOTI_PORT", "9001")
    monkeypatch.setenv("BIAOTI_MODEL", "/model")
    settings = read_settings(port=9002, host=None)
    assert (settings.port, settings.model, settings.host) == (9002, Path("/model"), "127.0.0.1")


def test_empty_variable_counts_as_absent(monkeypatch):
    monkeypatch.setenv("BIAOTI_MAX_TITLES", "")
    assert read_settings().max_titles == 128


def test_refusal_names_the_variable_and_its_value(monkeypatch):
    monkeypatch.setenv("BIAOTI_PORT", "http")
    with pytest.raises(UsageError) as caught:
        read_settings()
    assert str(caught.value).startswith("setting port (BIAOTI_PORT) cannot be 'http': ")


def test_what_orchestrators_inject_is_passed_over_with_a_word(monkeypatch, caplog):
    monkeypatch.setenv("BIAOTI_PORT", "tcp://10.0.0.7:8000")
    monkeypatch.setenv("BIAOTI_PORT_8000_TCP_ADDR", "10.0.0.7")
    monkeypatch.setenv("BIAOTI_SERVICE_HOST", "10.0.0.7")
    assert read_settings().port == 8000
    (record,) = caplog.records
    assert record.getMessage() == (
        "BIAOTI_PORT=tcp://10.0.0.7:8000 is a service link and no port: 8000"
    )


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("BIAOTI_MAX_TITLE", "ignored; is BIAOTI_MAX_TITLES meant?"),
        ("BIAOTI_WROKERS", "ignored; is BIAOTI_WORKERS meant?"),
        ("BIAOTI_ZZZ", "BIAOTI_ZZZ is no setting of the service and is ignored"),
    ],
)
def test_a_misspelt_variable_is_named(monkeypatch, caplog, name, end):
    monkeypatch.setenv(name, "7")
    read_settings()
    (record,) = caplog.records
    assert record.getMessage().endswith(end)


def test_default_top_k_may_not_exceed_the_maximum():
    with pytest.raises(UsageError, match="default_top_k 3 exceeds max_top_k"):
        read_settings(max_top_k=2)


@pytest.mark.parametrize("name", ["threads", "max_titles", "max_body_bytes", "deadline_s"])
def test_limits_are_positive(name):
    with pytest.raises(UsageError, match=rf"setting {name} \(BIAOTI_{name.upper()}\) cannot be 0"):
        read_settings(**{name: 0})


@pytest.fixture
def file(tmp_path):
    return tmp_path / "settings.toml"


def test_a_file_wins_over_the_default_and_the_environment_over_the_file(monkeypatch, file):
    file.write_text('port = 9001\nmax_titles = 7\nmodels = {a = "/a", b = "/b"}\n')
    monkeypatch.setenv("BIAOTI_SETTINGS", str(file))
    monkeypatch.setenv("BIAOTI_MAX_TITLES", "8")
    settings = read_settings(port=9002)
    assert (settings.port, settings.max_titles, settings.max_title_chars) == (9002, 8, 2000)
    assert settings.folders == {"a": Path("/a"), "b": Path("/b")}
    assert read_settings(file).port == 9001
    again = Settings.model_validate_json(settings.model_dump_json())  # as workers are told
    assert again.max_titles == 8


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("max_title = 7\n", "settings.toml: there is no setting max_title; is max_titles meant?"),
        ("port = 'http'\n", "setting port (BIAOTI_PORT) cannot be 'http'"),
        ("port 7\n", "settings.toml: not TOML in UTF-8: Expected '=' after a key"),
        (None, "settings.toml: the settings cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(file, content, said):
    if content is not None:
        file.write_text(content)
    with pytest.raises(UsageError) as caught:
        read_settings(file)
    assert said in str(caught.value)


def test_the_page_of_all_settings_is_as_the_code_has_them():
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    assert page == settings_page(), "write it anew: python -m service.settings_page"
    for name in Settings.model_fields:
        (row,) = [line for line in page.splitlines() if f"| `{name}` |" in line]
        assert len(row.split(" | ")[-1].rstrip(" |")) > 10, row
    assert "| `BIAOTI_MAX_BODY_BYTES` | `max_body_bytes` | `2097152` |" in page
