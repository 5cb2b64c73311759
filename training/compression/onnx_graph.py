"""A `SequenceClassifier` as an ONNX graph of ONNX Runtime's fused operators.

Written out by hand instead of traced, since the tracer's graph is slower: here attention and GELU
are one operator each, the last layer is computed for the first token alone (the head reads no
other), and int8 goes straight from embedding table to matrix products.

int8, per linear layer, with the range of its input x measured beforehand on real titles:

    y ≈ s_x s_w (q(x) − z) · q(W)ᵀ + b      q(x): uint8, one scale;  q(W): int8, a scale per row

The scales being fixed, a title's scores do not depend on what else is in its batch.
Source: Jacob et al. 2018, "Quantization and Training of Neural Networks for
Integer-Arithmetic-Only Inference".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from models.transformer.embedding import BertEmbedding
from models.transformer.encoder import EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.layer_norm import LayerNorm
from models.transformer.low_rank import WholeOrCut, factors
from models.transformer.sequence_classifier import SequenceClassifier
from models.transformer.width_embedding import WidthEmbedding

_FUSED = "com.microsoft"
_OPSETS = (("", 17), (_FUSED, 1))
_IR_VERSION = 9
_ACTIVATIONS = {"relu": ("Relu", ""), "gelu": ("Gelu", _FUSED), "gelu_tanh": ("FastGelu", _FUSED)}

Range = tuple[float, float]
"""Least and greatest value that a linear layer is given."""


def build(
    network: SequenceClassifier, ranges: Mapping[str, Range] | None = None
) -> onnx.ModelProto:
    """The graph: `input_ids` (B, S) and `lengths` (B,) int32 to `logits` (B, classes) float32.

    Args:
        network: post-LN layers on a BERT embedding.
        ranges: of the inputs of its linear layers, by their names; fp32 where there are none.
    """
    return _Writer(network, ranges).write()


@dataclass
class _Graph:
    """Nodes and constants in the making; every value gets a name of its own."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, value: np.ndarray | Tensor) -> str:
        array = value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        name = f"value_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [name], domain=domain, **attributes)
        self.nodes.append(node)
        return name


class _Writer:
    def __init__(self, network: SequenceClassifier, ranges: Mapping[str, Range] | None):
        self.network = network.eval()
        self.names = {module: name for name, module in network.named_modules()}
        self.ranges = ranges
        self.graph = _Graph()
        self.quantized: dict[tuple[str, Range], tuple[str, str, str]] = {}

    def write(self) -> onnx.ModelProto:
        graph, network = self.graph, self.network
        x = self.embedding()
        encoder = network.encoder
        *lower, top = zip(encoder.each_layer(), encoder.configs, strict=True)
        for layer, config in lower:
            x = self.layer(layer, config, x, x)
        first = graph.add("Gather", x, graph.constant(np.array([0])), axis=1)  # (B, 1, d_model)
        first = self.layer(*top, first, x)
        if network.width is not None:
            first = graph.add("Add", first, self.width(network.width))
        pooled = graph.add("Tanh", self.linear(network.pooler, first))
        logits = self.linear(network.classifier, pooled)
        graph.nodes.append(
            helper.make_node("Squeeze", [logits, graph.constant(np.array([1]))], ["logits"])
        )
        return self.model()

    def embedding(self) -> str:
        """Token, position and segment vectors, summed and normalised: (B, S, d_model)."""
        graph, embedding = self.graph, self.network.encoder.embedding
        assert isinstance(embedding, BertEmbedding)
        tokens, norm = embedding.tokens.weight, embedding.norm
        positions = embedding.positions.table + embedding.segments.weight[0]
        if self.ranges is None:
            x = graph.add("Gather", graph.constant(tokens), "input_ids")
        else:
            table, scales = quantize_rows(tokens.detach().numpy())
            rows = graph.add("Gather", graph.constant(table), "input_ids")
            scale = graph.add("Gather", graph.constant(scales[:, None]), "input_ids")
            x = graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), scale)
        length = graph.add("Shape", "input_ids", start=1)  # S, as a vector of one
        start = graph.constant(np.array([0]))
        used = graph.add("Slice", graph.constant(positions), start, length)
        return self.norm(graph.add("Add", x, used), norm)

    def width(self, width: WidthEmbedding) -> str:
        """The vector of how long a title is: (B, 1, d_model)."""
        graph = self.graph
        sizes = graph.constant(width.piece_widths.to(torch.int32))
        rows = graph.add("Gather", sizes, "input_ids")  # (B, S, 2)
        along = graph.constant(np.array([1]))
        counts = graph.add("ReduceSum", rows, along, keepdims=0)
        counts = graph.add("Min", counts, graph.constant(width.limits.to(torch.int32)))
        counts = graph.add("Add", counts, graph.constant(width.first_rows.to(torch.int32)))
        vectors = graph.add("Gather", graph.constant(width.table.weight), counts)
        return graph.add("ReduceSum", vectors, along, keepdims=1)

    def layer(self, layer: EncoderLayer, config: LayerConfig, x: str, seen: str) -> str:
        """One layer for the positions `x`, (B, Q, d_model), which see `seen`, (B, S, d_model)."""
        graph, attention = self.graph, layer.attention
        attended = graph.add(
            "MultiHeadAttention",
            *self.projections(attention.in_projection, x, seen),
            "",
            "lengths",
            domain=_FUSED,
            num_heads=attention.num_heads,
        )
        mixed = self.linear(attention.out_projection, attended)
        x = self.add_and_norm(mixed, x, layer.attention_connection.norm)
        operator, domain = _ACTIVATIONS[config.activation]
        inner = self.linear(layer.feed_forward.widen, x)
        inner = graph.add(operator, inner, domain=domain)
        narrowed = self.linear(layer.feed_forward.narrow, inner)
        return self.add_and_norm(narrowed, x, layer.feed_forward_connection.norm)

    def projections(self, projection: WholeOrCut, x: str, seen: str) -> list[str]:
        """Queries of `x`, keys and values of `seen`."""
        inputs = [x, seen, seen]
        if isinstance(projection, nn.Linear):
            last = projection
        else:
            first, last = factors(projection)
            low = {value: self.linear(first, value) for value in dict.fromkeys(inputs)}
            inputs = [low[value] for value in inputs]
        name = self.names[last]
        parts = zip(inputs, last.weight.chunk(3), last.bias.chunk(3), strict=True)
        return [self.product(value, name, weight, bias) for value, weight, bias in parts]

    def linear(self, layer: WholeOrCut, x: str) -> str:
        """A linear layer, or the two of a factorised one."""
        if isinstance(layer, nn.Linear):
            return self.product(x, self.names[layer], layer.weight, layer.bias)
        first, second = factors(layer)
        return self.linear(second, self.linear(first, x))

    def product(self, x: str, name: str, weight: Tensor, bias: Tensor | None) -> str:
        """x · Wᵀ + b, in int8 if the range of the layer's input is known."""
        graph = self.graph
        if self.ranges is None:
            y = graph.add("MatMul", x, graph.constant(weight.T))
            return y if bias is None else graph.add("Add", y, graph.constant(bias))
        values, scale, zero = self.quantize(x, self.ranges[name])
        rows, row_scales = quantize_rows(weight.detach().numpy())
        return graph.add(
            "MatMulIntegerToFloat",
            values,
            graph.constant(rows.T),
            scale,
            graph.constant(row_scales),
            zero,
            "",
            *([] if bias is None else [graph.constant(bias)]),
            domain=_FUSED,
        )

    def quantize(self, x: str, limits: Range) -> tuple[str, str, str]:
        """`x` in uint8, with the names of its scale and zero; once for all who read it."""
        if (x, limits) not in self.quantized:
            scale_value, zero_value = affine(limits)
            scale, zero = self.graph.constant(scale_value), self.graph.constant(zero_value)
            values = self.graph.add("QuantizeLinear", x, scale, zero)
            self.quantized[x, limits] = values, scale, zero
        return self.quantized[x, limits]

    def add_and_norm(self, x: str, residual: str, norm: LayerNorm) -> str:
        """In two operators: the fused one takes five times as long on processors."""
        return self.norm(self.graph.add("Add", x, residual), norm)

    def norm(self, x: str, norm: LayerNorm) -> str:
        gamma, beta = self.graph.constant(norm.gamma), self.graph.constant(norm.beta)
        return self.graph.add("LayerNormalization", x, gamma, beta, epsilon=norm.eps)

    def model(self) -> onnx.ModelProto:
        classes = self.network.classifier.out_features
        graph = helper.make_graph(
            self.graph.nodes,
            "biaoti",
            [
                helper.make_tensor_value_info("input_ids", TensorProto.INT32, ["batch", "length"]),
                helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
            ],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
            self.graph.constants,
        )
        opsets = [helper.make_opsetid(*opset) for opset in _OPSETS]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


def quantize_rows(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, columns) float32 to int8 and the (rows,) float32 scale of each row.

    −127 … 127, so that zero stays zero and no value has a counterpart that is missing.
    """
    largest = np.abs(weight).max(axis=1)
    scales = np.where(largest > 0, largest / 127, 1.0).astype(np.float32)
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def affine(limits: Range) -> tuple[np.ndarray, np.ndarray]:
    """Scale (float32) and zero (uint8) that spread 0 … 255 over the range and hit 0.0 exactly."""
    low, high = min(limits[0], 0.0), max(limits[1], 0.0)
    scale = (high - low) / 255 or 1.0
    return np.array(scale, np.float32), np.array(round(-low / scale), np.uint8)
