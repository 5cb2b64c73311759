"""What a container grants, read from a file system made by hand."""

import math
from pathlib import Path

import pytest

from models.cpu_quota import cpu_quota

DOCKER = "0::/system.slice/docker.scope\n"
VERSION_1 = "5:devices:/\n2:cpu,cpuacct:/docker/a\n1:name=systemd:/docker/a\n"


def _root(folder: Path, cgroup: str, files: dict[str, str]) -> Path:
    for name, content in {"proc/self/cgroup": cgroup, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


@pytest.mark.parametrize(
    ("cgroup", "files", "quota"),
    [
        ("0::/\n", {"sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"sys/fs/cgroup/cpu.max": "max 100000\n"}, math.inf),
        ("0::/\n", {}, math.inf),
        (DOCKER, {"sys/fs/cgroup/system.slice/docker.scope/cpu.max": "20000 50000"}, 0.4),
        (DOCKER, {"sys/fs/cgroup/cpu.max": "300000 100000"}, 3.0),  # the group's is not visible
        ("0::/a:b\n", {"sys/fs/cgroup/a:b/cpu.max": "50000 100000"}, 0.5),
        ("0::/../other\n", {"sys/fs/cgroup/cpu.max": "300000 100000"}, 3.0),
        ("", {}, math.inf),
    ],
)
def test_the_quota_is_processor_time_by_period(
    tmp_path: Path, cgroup: str, files: dict[str, str], quota: float
):
    assert cpu_quota(_root(tmp_path, cgroup, files)) == quota


def test_the_least_quota_of_a_group_and_those_above_it_counts(tmp_path: Path):
    files = {
        "sys/fs/cgroup/cpu.max": "max 100000",
        "sys/fs/cgroup/system.slice/cpu.max": "200000 100000",
        "sys/fs/cgroup/system.slice/docker.scope/cpu.max": "400000 100000",
    }

    assert cpu_quota(_root(tmp_path, DOCKER, files)) == 2.0


@pytest.mark.parametrize(
    ("folder", "quota_us", "quota"),
    [("docker/a/", "250000\n", 2.5), ("docker/a/", "-1\n", math.inf), ("", "50000\n", 0.5)],
)
def test_version_1_keeps_quota_and_period_in_two_files(
    tmp_path: Path, folder: str, quota_us: str, quota: float
):
    group = f"sys/fs/cgroup/cpu/{folder}"
    files = {f"{group}cpu.cfs_quota_us": quota_us, f"{group}cpu.cfs_period_us": "100000\n"}

    assert cpu_quota(_root(tmp_path, VERSION_1, files)) == quota


def test_systems_without_control_groups_have_no_limit(tmp_path: Path):
    assert cpu_quota(tmp_path) == math.inf
