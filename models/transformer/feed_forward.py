"""The position-wise feed-forward network: widen, bend, narrow.

    FFN(x) = φ(x W₁ + b₁) W₂ + b₂        φ = ReLU (Vaswani et al. 2017, eq. 2) or GELU (BERT)

The same network at every position; positions exchange nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Self

from torch import Tensor, nn
from torch.nn import functional as F

from models.errors import UsageError
from models.transformer.layer_config import LayerConfig

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}
"""φ by name; `gelu_tanh` is the approximation of the first BERT and GPT-2."""


class FeedForward(nn.Module):
    """Two linear layers with a non-linearity between them.

    Args:
        d_model: size of the input and the output.
        d_ff: size between the two layers.
        dropout: share of the inner values set to 0 in training.
        activation: a name of `ACTIVATIONS`.
    Raises:
        UsageError: no such activation.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1, activation: str = "relu"):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise UsageError(
                f"unknown activation '{activation}'; expected one of: {', '.join(ACTIVATIONS)}"
            )
        self.activation = ACTIVATIONS[activation]
        self.widen = nn.Linear(d_model, d_ff)
        self.narrow = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters()

    @classmethod
    def of(cls, config: LayerConfig) -> Self:
        """As a layer's config says."""
        return cls(config.d_model, config.d_ff, config.dropout_inside, config.activation)

    def forward(self, x: Tensor) -> Tensor:
        """(B, S, d_model) to (B, S, d_model)."""
        inner = self.activation(self.widen(x))  # (B, S, d_ff)
        narrowed: Tensor = self.narrow(self.dropout(inner))  # (B, S, d_model)
        return narrowed

    def reset_parameters(self) -> None:
        """Xavier-uniform weights, zero biases."""
        for linear in (self.widen, self.narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)
