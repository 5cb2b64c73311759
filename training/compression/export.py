"""From a student to the ONNX model that serves without torch, in fp32 or in int8."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.onnx import OnnxClassifier, OnnxConfig
from models.student import StudentClassifier
from training.compression import onnx_graph
from training.compression.onnx_graph import Range

CALIBRATION_TITLES = 2000


def to_onnx(
    student: StudentClassifier,
    graph: Path,
    calibration: Sequence[str] | None = None,
    coverage: float = 1.0,
) -> OnnxClassifier:
    """Write the student's graph to the file `graph` and open it.

    Args:
        calibration: titles from which the ranges of int8 are measured; without them, fp32.
        coverage: as in `input_ranges`.
    """
    ranges = None if calibration is None else input_ranges(student, calibration, coverage)
    onnx.save(onnx_graph.build(student.network, ranges), graph)
    tolerance = student.probe_tolerance if ranges is None else OnnxConfig.probe_tolerance
    return OnnxClassifier(graph, student.tokenizer, student.labels, probe_tolerance=tolerance)


def input_ranges(
    student: StudentClassifier, titles: Sequence[str], coverage: float = 1.0
) -> dict[str, Range]:
    """Least and greatest input of each linear layer over the titles, by the layer's name.

    Args:
        coverage: share of the titles whose least and greatest values lie within. Below 1, the few
            that go farther are clipped, and all others are told apart more finely.
    Raises:
        UsageError: no title, or a share outside (0, 1].
    """
    if not titles or not 0 < coverage <= 1:
        raise UsageError(
            f"int8 needs titles to measure on and a coverage in (0, 1]; got {len(titles)} titles "
            f"and {coverage}"
        )
    by_length: dict[int, list[list[int]]] = defaultdict(list)
    for row in student.tokenizer(titles).ids:
        by_length[len(row)].append(row)  # without padding, whose vectors mean nothing
    with _watched(student.network) as seen, torch.inference_mode():
        for rows in by_length.values():
            student.network(torch.tensor(rows))
    return {name: _range(torch.cat(extremes).numpy(), coverage) for name, extremes in seen.items()}


def _range(extremes: np.ndarray, coverage: float) -> Range:
    """From (titles, 2), each one's least and greatest value, to those that cover the share."""
    low = np.quantile(extremes[:, 0], 1 - coverage, method="lower")
    high = np.quantile(extremes[:, 1], coverage, method="higher")
    return float(low), float(high)


@contextmanager
def _watched(network: nn.Module) -> Iterator[dict[str, list[Tensor]]]:
    """Within the block, what the linear layers are given is noted: (B, 2) extremes a batch."""
    seen: dict[str, list[Tensor]] = defaultdict(list)

    def watch(name: str, x: Tensor) -> None:
        least, greatest = x.flatten(1).aminmax(dim=1)
        seen[name].append(torch.stack([least, greatest], dim=1))

    linears = [(name, part) for name, part in network.named_modules() if type(part) is nn.Linear]
    hooks = [
        part.register_forward_pre_hook(lambda _, inputs, name=name: watch(name, inputs[0]))
        for name, part in linears
    ]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()
