"""torch's dynamic int8 linear layers: all that we ask of `torch.ao`, in one place.

    y ≈ s_x s_w (q(x) − z) · q(W)ᵀ + b      q(W): int8, a scale s_w per row

q(x) is uint8 with one scale for all of a batch, found anew at each call: a title's scores depend
a little on the titles beside it. `torch.ao.quantization` is deprecated, but on CPUs its kernels
are still the fastest that eager torch has; who replaces it replaces the four functions here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.ao.nn.quantized import dynamic
from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

from models.errors import ArtifactError

Network = TypeVar("Network", bound=nn.Module)


def quantize_linears(network: Network) -> Network:
    """A copy of the network in which every linear layer is int8.

    Raises:
        ArtifactError: torch has no engine for it.
    """
    require_engine()
    with _quiet():
        layers = {nn.Linear: per_channel_dynamic_qconfig}
        quantized: Network = quantize_dynamic(network, layers)  # type: ignore[no-untyped-call]
    return quantized


def require_engine() -> None:
    """Make sure that torch was built with kernels for int8, as some builds are not.

    Raises:
        ArtifactError: names the engine, and the way without it.
    """
    if torch.backends.quantized.engine in (None, "none"):
        raise ArtifactError(
            "this build of torch has no engine for int8 (torch.backends.quantized.engine is "
            "'none'); make the int8 model with 'biaoti quantize --method onnx', which needs none"
        )


def is_int8(module: nn.Module) -> bool:
    """Whether the module is one of these layers."""
    return isinstance(module, dynamic.Linear)


def to_tensors(linear: nn.Module) -> dict[str, Tensor]:
    """What the layer holds: `rows` (out, in) int8, `scales` (out,) float32 and any `bias`."""
    assert isinstance(linear, dynamic.Linear)
    weight, bias = linear._packed_params._weight_bias()
    tensors = {"rows": weight.int_repr(), "scales": weight.q_per_channel_scales().float()}
    return tensors if bias is None else tensors | {"bias": bias.detach()}


def from_tensors(tensors: Mapping[str, Tensor]) -> nn.Module:
    """The layer that `to_tensors` read.

    Raises:
        KeyError: a tensor is missing.
        RuntimeError: their shapes or types do not fit.
        ArtifactError: torch has no engine for it.
    """
    require_engine()
    rows, scales = tensors["rows"], tensors["scales"]
    outputs, inputs = rows.shape
    with _quiet():
        linear = dynamic.Linear(inputs, outputs)  # type: ignore[no-untyped-call]
        zeros = torch.zeros(outputs, dtype=torch.int64)
        weight = torch._make_per_channel_quantized_tensor(rows, scales.double(), zeros, 0)
        linear.set_weight_bias(weight, tensors.get("bias"))
    return linear


@contextmanager
def _quiet() -> Iterator[None]:
    """Without torch's two notices that these layers are deprecated; others are shown."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"torch\.ao\.quantization", DeprecationWarning)
        warnings.filterwarnings("ignore", r"torch\.quantize_per_tensor", UserWarning)
        yield
