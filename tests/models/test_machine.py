import math
import os

import pytest

from models import machine


@pytest.mark.parametrize(
    ("cores", "quota", "threads"),
    [(8, math.inf, 8), (8, 1.5, 2), (8, 2.0, 2), (2, 6.0, 2), (4, 0.2, 1)],
)
def test_as_many_threads_as_affinity_and_quota_allow(
    monkeypatch: pytest.MonkeyPatch, cores: int, quota: float, threads: int
):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr(machine, "cpu_quota", lambda: quota)

    assert machine.available_threads() == threads
    assert machine.describe()["cores"] == threads
