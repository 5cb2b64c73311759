"""The manifests for Kubernetes: what its schemas allow, and what the service has and does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from service import telemetry
from service.app import create_app
from service.settings import Settings, read_settings

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
VERSIONS = ("1.31", "1.37")
LABEL = {"app.kubernetes.io/name": "biaoti"}
documents: list[dict[str, Any]] = list(yaml.safe_load_all((FOLDER / "biaoti.yaml").read_text()))
by_kind = {document["kind"]: document for document in documents}


@pytest.fixture
def pod() -> dict[str, Any]:
    return by_kind["Deployment"]["spec"]["template"]["spec"]


@pytest.fixture
def container(pod: dict[str, Any]) -> dict[str, Any]:
    (found,) = pod["containers"]
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("document", documents, ids=lambda document: document["kind"])
def test_each_object_is_what_the_schemas_allow(document, version):
    kubernetes_validate.validate(document, version, strict=True)


def test_the_schemas_would_notice_a_misspelt_field():
    wrong = {**by_kind["PodDisruptionBudget"], "spec": {"minAvailble": 1}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


def test_all_mean_the_same_pods():
    deployment = by_kind["Deployment"]["spec"]
    assert deployment["selector"]["matchLabels"] == LABEL
    assert deployment["template"]["metadata"]["labels"] == LABEL
    assert by_kind["Service"]["spec"]["selector"] == LABEL
    assert by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == LABEL
    assert by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == LABEL
    target = by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", "biaoti")


def test_it_runs_without_rights(pod, container):
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == 10001  # the image's
    assert not pod["automountServiceAccountToken"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    written = {each["mountPath"] for each in container["volumeMounts"] if not each.get("readOnly")}
    assert written == {"/tmp"}
    assert by_kind["NetworkPolicy"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert "egress" not in by_kind["NetworkPolicy"]["spec"]


def test_what_it_names_is_there(pod, container):
    known = {f"BIAOTI_{name.upper()}" for name in Settings.model_fields}
    assert {each["name"] for each in container["env"]} < known
    paths = create_app().openapi()["paths"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in paths
        assert container[probe]["httpGet"]["port"] == "http"
    mounted = {each["name"] for each in container["volumeMounts"]}
    assert mounted == {each["name"] for each in pod["volumes"]}
    (metric,) = by_kind["HorizontalPodAutoscaler"]["spec"]["metrics"]
    name = metric["pods"]["metric"]["name"]
    assert name == telemetry.WAITING_TITLES._name
    (rule,) = yaml.safe_load((FOLDER / "adapter-values.yaml").read_text())["rules"]["custom"]
    assert rule["name"]["as"] == name
    assert rule["seriesQuery"].startswith(f"{name}{{")


def test_a_replica_that_ends_has_the_time_to_answer(pod, container):
    env = {each["name"]: each["value"] for each in container["env"]}
    before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    answering = float(env["BIAOTI_SHUTDOWN_TIMEOUT_S"])
    assert before + answering < pod["terminationGracePeriodSeconds"]
    probe = container["readinessProbe"]
    assert before > probe["periodSeconds"] * probe["failureThreshold"]


def test_the_settings_are_taken(container, monkeypatch):
    for each in container["env"]:
        monkeypatch.setenv(each["name"], each["value"])
    settings = read_settings()
    assert settings.shutdown_timeout_s == 15
    assert settings.keys_file == Path("/keys/keys.txt")
