"""What this machine is: stated beside every speed, and asked before bf16 is used."""

from __future__ import annotations

import math
import os
import platform
from functools import cache
from pathlib import Path

from models.cpu_quota import cpu_quota

_TOLD = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
_TOLD_ARM = ("asimd", "asimddp", "i8mm", "bf16", "sve")


@cache
def cpu_flags() -> frozenset[str]:
    """The processor's feature flags as Linux lists them; empty elsewhere."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return frozenset()
    lines = path.read_text().splitlines()
    return frozenset(
        flag
        for line in lines
        if line.startswith(("flags", "Features"))
        for flag in line.split(":", 1)[1].split()
    )


def has_native_bf16() -> bool:
    """Whether the processor multiplies bf16 in hardware; emulated bf16 is slower than fp32."""
    return bool(cpu_flags() & {"avx512_bf16", "amx_bf16", "bf16"})


def cpu_name() -> str:
    """The processor's name as the system gives it."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def available_threads() -> int:
    """Threads that can run at once: the cores of the affinity, within the container's quota.

    A quota of one core and a half is worth two threads.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, math.ceil(min(cores or 1, cpu_quota())))


def describe() -> dict[str, object]:
    """Processor, cores and the instruction sets that decide a model's speed."""
    told = [flag for flag in (*_TOLD, *_TOLD_ARM) if flag in cpu_flags()]
    return {"cpu": cpu_name(), "cores": available_threads(), "instruction_sets": told}
