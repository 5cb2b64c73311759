"""A student in int8 (torch): about a quarter of its size, and faster where the CPU has VNNI.

The folder holds int8 rows and their float scales, from which the layers are built again.
"""

from __future__ import annotations

from typing import ClassVar

from models.errors import MissingDependency
from models.student import StudentClassifier

try:
    from torch import Tensor, nn

    from models import int8_linear
    from models.transformer.low_rank import find_linear, replace_module
    from models.transformer.sequence_classifier import SequenceClassifier
except ImportError as error:
    raise MissingDependency(error.name or "torch", "train") from error

TOKENS = "encoder.embedding.tokens"
"""The one table that is worth quantising, by its name in the network."""


class QuantizedEmbedding(nn.Module):
    """A table of vectors in int8.

    Args:
        rows: (tokens, d_model) int8.
        scales: (tokens,) float32; a token's vector is its row times its scale.
    """

    rows: Tensor
    scales: Tensor

    def __init__(self, rows: Tensor, scales: Tensor):
        super().__init__()
        self.register_buffer("rows", rows)
        self.register_buffer("scales", scales)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, S) int64 to (B, S, d_model)."""
        return self.rows[ids].float() * self.scales[ids].unsqueeze(-1)


class QuantizedStudentClassifier(StudentClassifier):
    """Scores titles as a student does; its linear layers and its token embedding are int8."""

    route: ClassVar[str] = "student-int8"
    probe_tolerance: float = 0.02
    """Sums of int8 products differ a little between instruction sets."""

    def tensors(self) -> dict[str, Tensor]:
        found = {
            name: part for name, part in self.network.named_modules() if int8_linear.is_int8(part)
        }
        inside = tuple(f"{name}." for name in found)
        tensors = {
            name: tensor
            for name, tensor in self.network.state_dict().items()
            if not name.startswith(inside)
        }
        for name, linear in found.items():
            for part, tensor in int8_linear.to_tensors(linear).items():
                tensors[f"{name}.{part}"] = tensor.contiguous()
        return tensors

    @classmethod
    def fill(cls, network: SequenceClassifier, tensors: dict[str, Tensor]) -> None:
        rest = dict(tensors)
        linears = [name for name, part in network.named_modules() if isinstance(part, nn.Linear)]
        layers = {name: _take_linear(find_linear(network, name), name, rest) for name in linears}
        for name in layers:
            replace_module(network, name, nn.Identity())  # has no tensors of its own
        table = QuantizedEmbedding(rest[f"{TOKENS}.rows"], rest[f"{TOKENS}.scales"])
        replace_module(network, TOKENS, table)
        network.load_state_dict(rest)
        for name, layer in layers.items():
            replace_module(network, name, layer)


def _take_linear(linear: nn.Linear, name: str, tensors: dict[str, Tensor]) -> nn.Module:
    """The int8 layer in the place of `linear`; its tensors are taken out of `tensors`."""
    parts = ("rows", "scales") if linear.bias is None else ("rows", "scales", "bias")
    taken = {part: tensors.pop(f"{name}.{part}") for part in parts}
    if taken["rows"].shape != linear.weight.shape:
        raise RuntimeError(
            f"{name}.rows is {tuple(taken['rows'].shape)}, expected {tuple(linear.weight.shape)}"
        )
    return int8_linear.from_tensors(taken)
