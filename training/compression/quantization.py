"""A student in int8 that runs in torch: linear layers and token embedding, a scale per row."""

from __future__ import annotations

import copy

import torch

from models import int8_linear
from models.quantized import TOKENS, QuantizedEmbedding, QuantizedStudentClassifier
from models.student import StudentClassifier
from models.transformer.low_rank import replace_module
from training.compression.onnx_graph import quantize_rows


def to_int8(student: StudentClassifier) -> QuantizedStudentClassifier:
    """The student in int8; the one given stays as it is.

    No title is needed: the scale of a layer's input is found at each call.
    """
    network = int8_linear.quantize_linears(copy.deepcopy(student.network))
    table = student.network.get_parameter(f"{TOKENS}.weight")
    rows, scales = quantize_rows(table.detach().numpy())
    replace_module(network, TOKENS, QuantizedEmbedding(*map(torch.from_numpy, (rows, scales))))
    return QuantizedStudentClassifier(network, student.config, student.tokenizer, student.labels)
