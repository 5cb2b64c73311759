"""How much processor time the container grants: `docker run --cpus`, Kubernetes' limits.

A quota is so many microseconds of processor time in each period, on a control group or on any of
those above it. Version 2 keeps both in one file, `cpu.max`; version 1 in two.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path


def cpu_quota(root: Path = Path("/")) -> float:
    """The processors that this process may use on average, such as 1.5; infinity: no limit.

    Args:
        root: of the file system, with `proc/self/cgroup` and `sys/fs/cgroup`.
    """
    return min(_quotas(root), default=math.inf)


def _quotas(root: Path) -> Iterator[float]:
    """Those of the process's control groups and of all above them."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":  # version 2
            for group in _upwards(root / "sys/fs/cgroup", path):
                yield _quota(_read(group / "cpu.max"))
        elif "cpu" in controllers.split(","):
            for group in _upwards(root / "sys/fs/cgroup/cpu", path):
                files = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
                yield _quota(" ".join(_read(group / file) for file in files))


def _upwards(top: Path, path: str) -> Iterator[Path]:
    """The group's folder and those above it; some may not be visible in a container."""
    names = path.strip("/").split("/")
    for depth in range(len(names), -1, -1):
        yield top.joinpath(*names[:depth])


def _quota(text: str) -> float:
    """Quota by period: `150000 100000` is 1.5. `max`, -1 or nothing: no limit."""
    match text.split():
        case [quota, period] if quota not in ("max", "-1"):
            return int(quota) / int(period)
    return math.inf


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
