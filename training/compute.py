"""On what a step is computed, in which precision and by which kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Literal

import torch

from models.machine import has_native_bf16
from training.kernels import TitleKernels

Precision = Literal["auto", "bf16", "fp32"]


def device() -> torch.device:
    """The accelerator where there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocast(precision: str) -> torch.autocast:
    """The context in which a loss is computed.

    Args:
        precision: bf16, fp32, or auto: bf16 where the device computes in it, else fp32.
    """
    native = device().type == "cuda" or has_native_bf16()
    enabled = precision == "bf16" or (precision == "auto" and native)
    return torch.autocast(device().type, torch.bfloat16, enabled=enabled)


@contextmanager
def training_step(precision: str) -> Iterator[None]:
    """`autocast`; on a processor with the kernels that train fastest on rows as short as titles."""
    with autocast(precision), TitleKernels() if device().type == "cpu" else nullcontext():
        yield
