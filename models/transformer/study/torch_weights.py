"""The names of our weights in `nn.TransformerEncoder` and `nn.TransformerDecoder`, both ways.

The tensors are the same, W_Q, W_K and W_V stacked in one matrix included: only names differ.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

_ATTENTION = {
    "in_projection.weight": "in_proj_weight",
    "in_projection.bias": "in_proj_bias",
    "out_projection.weight": "out_proj.weight",
    "out_projection.bias": "out_proj.bias",
}
_LINEAR = {"weight": "weight", "bias": "bias"}
_NORM = {"gamma": "weight", "beta": "bias"}
_FEED_FORWARD = {
    "feed_forward.widen": ("linear1", _LINEAR),
    "feed_forward.narrow": ("linear2", _LINEAR),
}
_ENCODER_LAYER = _FEED_FORWARD | {
    "attention": ("self_attn", _ATTENTION),
    "attention_connection.norm": ("norm1", _NORM),
    "feed_forward_connection.norm": ("norm2", _NORM),
}
_DECODER_LAYER = _FEED_FORWARD | {
    "self_attention": ("self_attn", _ATTENTION),
    "cross_attention": ("multihead_attn", _ATTENTION),
    "self_connection.norm": ("norm1", _NORM),
    "cross_connection.norm": ("norm2", _NORM),
    "feed_forward_connection.norm": ("norm3", _NORM),
}


def to_torch(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of an `Encoder` or `Decoder` (without embedding) by torch's names."""
    return {theirs: weights[ours] for ours, theirs in _names(weights, "final_norm.gamma").items()}


def from_torch(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of an `nn.TransformerEncoder` or `nn.TransformerDecoder` by our names."""
    return {ours: weights[theirs] for ours, theirs in _names(weights, "norm.weight").items()}


def _names(weights: Mapping[str, Tensor], final_norm: str) -> dict[str, str]:
    """Our name to torch's, for the stack that `weights`, named either way, belongs to."""
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    crosses = any(part in name for name in weights for part in ("cross_attention", "multihead"))
    layer = _DECODER_LAYER if crosses else _ENCODER_LAYER
    names = {
        f"layers.{i}.{module}.{ours}": f"layers.{i}.{torch_module}.{theirs}"
        for i in range(depth)
        for module, (torch_module, parameters) in layer.items()
        for ours, theirs in parameters.items()
    }
    if final_norm in weights:
        names |= {f"final_norm.{ours}": f"norm.{theirs}" for ours, theirs in _NORM.items()}
    return names
