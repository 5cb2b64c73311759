import math
import os
import platform
from collections.abc import Iterator
from pathlib import Path

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


CPUINFO = """processor\t: 0
model name\t: A Processor: of 2 GHz
flags\t\t: fpu avx2 avx512_bf16

processor\t: 1
flags\t\t: fpu avx2 : odd
"""


@pytest.fixture
def cpuinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that is read in place of the system's; absent until it is written."""
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(machine, "Path", lambda _: path)
    machine.cpu_flags.cache_clear()
    yield path
    machine.cpu_flags.cache_clear()


def test_name_and_flags_are_those_of_cpuinfo(cpuinfo: Path):
    cpuinfo.write_text(CPUINFO)

    assert machine.cpu_name() == "A Processor: of 2 GHz"
    assert machine.cpu_flags() == {"fpu", "avx2", "avx512_bf16", ":", "odd"}
    assert machine.has_native_bf16()
    assert machine.describe()["instruction_sets"] == ["avx2", "avx512_bf16"]


def test_where_the_system_tells_nothing_there_are_no_flags(cpuinfo: Path):
    assert machine.cpu_flags() == frozenset()
    assert not machine.has_native_bf16()
    assert machine.cpu_name() == (platform.processor() or platform.machine())
