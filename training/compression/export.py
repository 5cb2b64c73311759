"""From a student to the ONNX model that serves without torch, in fp32 or in int8."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from models.onnx import OnnxClassifier
from models.student import StudentClassifier
from training.compression import onnx_graph
from training.compression.onnx_graph import Range

CALIBRATION_TITLES = 2000


def to_onnx(
    student: StudentClassifier, graph: Path, calibration: Sequence[str] | None = None
) -> OnnxClassifier:
    """Write the student's graph to the file `graph` and open it.

    Args:
        calibration: titles from which the ranges of int8 are measured; without them, fp32.
    """
    ranges = None if calibration is None else input_ranges(student, calibration)
    onnx.save(onnx_graph.build(student.network, ranges), graph)
    return OnnxClassifier(graph, student.tokenizer, student.labels)


def input_ranges(student: StudentClassifier, titles: Sequence[str]) -> dict[str, Range]:
    """Least and greatest input of each linear layer over the titles, by the layer's name."""
    by_length: dict[int, list[list[int]]] = defaultdict(list)
    for row in student.tokenizer(titles):
        by_length[len(row)].append(row)  # without padding, whose vectors mean nothing
    with _watched(student.network) as ranges, torch.inference_mode():
        for rows in by_length.values():
            student.network(torch.tensor(rows))
    return ranges


@contextmanager
def _watched(network: nn.Module) -> Iterator[dict[str, Range]]:
    """Within the block, the ranges grow with what the linear layers are given."""
    ranges: dict[str, Range] = {}

    def watch(name: str, x: Tensor) -> None:
        low, high = ranges.get(name, (0.0, 0.0))
        ranges[name] = min(low, x.min().item()), max(high, x.max().item())

    linears = [(name, part) for name, part in network.named_modules() if type(part) is nn.Linear]
    hooks = [
        part.register_forward_pre_hook(lambda _, inputs, name=name: watch(name, inputs[0]))
        for name, part in linears
    ]
    try:
        yield ranges
    finally:
        for hook in hooks:
            hook.remove()
