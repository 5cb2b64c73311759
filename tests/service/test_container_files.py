"""Dockerfile and docker-compose.yml: parsed by the real parsers, and what they promise."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from models.artifact import DEFAULT_FOLDER

ROOT = Path(__file__).parents[2]
COMPOSE_FILE = ROOT / "docker-compose.yml"


def validate_schema(file: Path) -> subprocess.CompletedProcess[str]:
    """Check a file against the schema of the Compose Specification."""
    command = [sys.executable, "-m", "check_jsonschema"]
    command += ["--builtin-schema", "vendor.compose-spec", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def resolve(file: Path, *profiles: str, **environment: str) -> dict:
    """The project as Docker Compose itself understands it."""
    program = shutil.which("docker-compose", path=f"{Path(sys.executable).parent}:{os.defpath}")
    if program is None:
        pytest.skip("no docker-compose for this platform")
    chosen = [word for profile in profiles for word in ("--profile", profile)]
    run = subprocess.run(
        [program, "-f", str(file), *chosen, "config", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.defpath, "HOME": str(file.parent), **environment},
    )
    assert run.stdout, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def service() -> dict:
    return resolve(COMPOSE_FILE)["services"]["biaoti"]


def test_compose_file_follows_the_specification():
    run = validate_schema(COMPOSE_FILE)
    assert run.returncode == 0, run.stdout


def test_the_schema_would_notice_a_misspelt_key(tmp_path):
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(COMPOSE_FILE.read_text("utf-8").replace("mem_limit", "mem_limt"), "utf-8")
    assert validate_schema(wrong).returncode != 0


def test_docker_compose_publishes_on_loopback_alone(service):
    (port,) = service["ports"]
    assert (port["host_ip"], port["published"], port["target"]) == ("127.0.0.1", "8000", 8000)


def test_docker_compose_confines_the_service(service):
    assert service["read_only"] is True
    assert service["user"] == "10001:10001"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"] == str(4 * 1024**3)
    assert service["cpus"] == 2


def test_docker_compose_mounts_the_model_that_ships_read_only(service):
    (volume,) = service["volumes"]
    assert Path(volume["source"]) == DEFAULT_FOLDER
    assert (volume["target"], volume["read_only"]) == ("/model", True)
    assert service["environment"]["BIAOTI_MODEL"] == volume["target"]
    other = resolve(COMPOSE_FILE, BIAOTI_MODEL_FOLDER="/srv/model")["services"]["biaoti"]
    assert other["volumes"][0]["source"] == "/srv/model"


def test_docker_compose_asks_whether_the_model_answers(service):
    assert "http://127.0.0.1:8000/ready" in service["healthcheck"]["test"][-1]


@pytest.fixture(scope="module")
def full() -> dict:
    return resolve(COMPOSE_FILE, "full")["services"]


def test_without_the_profile_one_service_starts():
    assert set(resolve(COMPOSE_FILE)["services"]) == {"biaoti"}


def test_replicas_are_the_service_but_for_their_database_and_ports(service, full):
    replica = full["replica"]
    differ = {
        name for name in service.keys() | replica.keys() if service.get(name) != replica.get(name)
    }
    assert differ == {
        "build", "depends_on", "deploy", "environment", "image", "ports", "profiles",
    }  # fmt: skip
    assert replica["deploy"]["replicas"] == 2
    assert replica["build"]["args"]["EXTRAS"] == "postgres"
    assert replica.get("ports") is None
    database = replica["environment"]["BIAOTI_FEEDBACK"]
    assert database.startswith("postgresql+psycopg://biaoti:biaoti@postgres/")
    other = resolve(COMPOSE_FILE, "full", POSTGRES_PASSWORD="secret")["services"]
    assert "biaoti:secret@" in other["replica"]["environment"]["BIAOTI_FEEDBACK"]
    assert other["postgres"]["environment"]["POSTGRES_PASSWORD"] == "secret"


def test_of_all_that_starts_nothing_is_open_to_other_machines(full):
    assert set(full) == {"biaoti", "replica", "nginx", "postgres", "prometheus", "grafana"}
    ports = {name: each.get("ports") or [] for name, each in full.items()}
    assert {port["host_ip"] for each in ports.values() for port in each} == {"127.0.0.1"}
    assert ports["postgres"] == ports["replica"] == []


def test_configurations_are_mounted_that_exist(full):
    for name in ("nginx", "prometheus", "grafana"):
        mounted = [each for each in full[name]["volumes"] if each["type"] == "bind"]
        assert mounted
        for each in mounted:
            assert Path(each["source"]).exists()
            assert each["read_only"] is True


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def test_image_does_not_run_as_root():
    users = [argument for name, argument in instructions() if name == "USER"]
    assert users == ["10001:10001"]


def test_the_image_takes_no_extras_unless_asked(service):
    assert service["build"]["args"]["EXTRAS"] == ""
    asked = resolve(COMPOSE_FILE, EXTRAS="train")["services"]["biaoti"]
    assert asked["build"]["args"]["EXTRAS"] == "train"


def test_image_serves_the_model_that_ships_on_all_interfaces():
    arguments = dict(instructions())
    assert json.loads(arguments["CMD"]) == [
        "biaoti", "serve", "--host", "0.0.0.0", "--port", "8000",
    ]  # fmt: skip
    assert arguments["EXPOSE"] == "8000"
    assert not any("BIAOTI_MODEL" in argument for name, argument in instructions() if name == "ENV")


def test_health_checks_of_image_and_compose_file_are_one(service):
    check = dict(instructions())["HEALTHCHECK"]
    assert json.loads(check.split("CMD", 1)[1]) == service["healthcheck"]["test"][1:]


def copied() -> set[str]:
    sources = [
        shlex.split(argument)[:-1]
        for name, argument in instructions()
        if name == "COPY" and not argument.startswith("--from")
    ]
    return {source.removeprefix("./") for line in sources for source in line}


def test_image_is_built_from_files_that_exist():
    assert [name for name in sorted(copied()) if not (ROOT / name).exists()] == []


def test_image_has_every_package_that_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    installed = project["tool"]["setuptools"]["packages"]
    assert {name.split(".")[0] for name in installed} <= copied()


def test_build_context_holds_what_is_copied_and_nothing_else():
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {line[1:] for line in lines if line.startswith("!")} == copied()
    assert "*" in lines
