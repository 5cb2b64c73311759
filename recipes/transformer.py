"""`biaoti transformer figures` and `cost`: look into the Transformer written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from models.bounds import Checked, NonEmpty, Whole
from models.errors import UsageError
from models.outputs import claim_folder
from models.transformer.layer_config import LayerConfig
from models.transformer.study.cost import table
from models.transformer.study.figures import FIGURES, draw_all
from models.transformer.study.sequence_layers import comparison
from recipes.settings import Folder, Number, OptionalPath, Saving

Lengths = Annotated[tuple[int, ...], arg(metavar="N"), NonEmpty(), Whole(least=1)]


@dataclass(frozen=True, kw_only=True)
class TransformerFigures(Saving):
    """Draw position codes, masks, parameter growth and, given an encoder, attention weights."""

    output: Folder = Path("figures")
    """Where the PNGs go."""
    encoder: OptionalPath = None
    """Draw this encoder's attention weights, too."""
    title: str = "国足客场一球小胜 小组赛取得开门红"
    """The title that it reads."""


@dataclass(frozen=True, kw_only=True)
class TransformerCost(Checked):
    """Print parameters, FLOPs, memory and measured time of a layer against sequence length.

    A second table compares self-attention with recurrence and convolution.
    """

    d_model: Number = 512
    """Width of the layer."""
    heads: Number = 8
    """Attention heads."""
    d_ff: Number = 2048
    """Feed-forward width."""
    lengths: Lengths = (32, 128, 512, 1024, 2048)
    """Tokens of a sequence."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_model % self.heads:
            raise UsageError(
                f"d_model {self.d_model} cannot be cut into {self.heads} equal heads; take a "
                "number that divides it"
            )


def transformer_figures(settings: TransformerFigures) -> list[Path]:
    """Draw all that can be drawn; returns the files.

    Raises:
        UsageError: they would cost somebody something.
    """
    read = [] if settings.encoder is None else [settings.encoder]
    claim_folder(settings.output, read, FIGURES, settings.force)
    return draw_all(settings.output, settings.encoder, settings.title)


def transformer_cost(settings: TransformerCost) -> str:
    """Both tables as text."""
    layer = LayerConfig(settings.d_model, settings.heads, settings.d_ff)
    beside = comparison(settings.d_model, settings.lengths)
    return f"{table(layer, settings.lengths)}\n\n{beside}"
