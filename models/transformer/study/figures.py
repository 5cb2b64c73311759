"""All pictures: positions, masks, attention of a title, and what the modules beside this draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from matplotlib import font_manager
from matplotlib import pyplot as plt
from tokenizers import Tokenizer
from torch import Tensor

from models.errors import PretrainedError
from models.outputs import OutputKind, lacks
from models.staging import staged_file
from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import causal_mask, padding_mask
from models.transformer.positions import sinusoids
from models.transformer.study.cost import parameters_by_component
from models.transformer.study.drawing import write
from models.transformer.study.masked_weights import draw_masked_weights
from models.transformer.study.norms import draw_norms
from models.transformer.study.saturation import draw_saturation
from models.transformer.study.warm_up import draw_warm_up

_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "SimHei",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Arial Unicode MS",
)


FIGURES = OutputKind("a folder of figures", lacks("positions.png"), in_place=True)
"""What `draw_all` draws into."""


def draw_all(output: Path, encoder_folder: Path | None, title: str) -> list[Path]:
    """Draw every picture into the folder `output`.

    Args:
        output: made if it is not there.
        encoder_folder: a Hugging Face BERT folder, such as an encoder's artifact; without one,
            no attention is drawn.
        title: whose attention is drawn.
    Returns:
        The files written.
    Raises:
        PretrainedError: the encoder or its tokenizer cannot be read.
    """
    read = None if encoder_folder is None else _read_with(encoder_folder, title)
    written = [
        draw_positions(output / "positions.png"),
        draw_masks(output / "masks.png"),
        draw_masked_weights(output / "masked_weights.png"),
        draw_saturation(output / "saturation.png"),
        draw_norms(output / "norms.png"),
        draw_parameter_growth(output / "parameters.png"),
        draw_warm_up(output / "warm_up.png"),
    ]
    if read is not None:
        weights, tokens = read
        written.append(draw_heads(weights, tokens, tokens, output / "attention.png"))
    return written


def draw_positions(path: Path, max_len: int = 50, d_model: int = 20) -> Path:
    """The positional encoding: a row a position, a column a dimension."""
    figure, axes = plt.subplots(figsize=(5, 8), layout="constrained")
    image = axes.imshow(
        sinusoids(max_len, d_model).numpy(), cmap="RdBu", vmin=-1, vmax=1, aspect="auto"
    )
    axes.set(xlabel="dimension", ylabel="position", title="PE: fast waves left, slow waves right")
    axes.set_xticks(range(0, d_model, 2))
    figure.colorbar(image)
    return write(figure, path)


def draw_masks(path: Path, lengths: Sequence[int] = (10, 7, 4, 8), max_len: int = 10) -> Path:
    """The padding mask of a batch and the causal mask; dark = hidden."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    hidden = padding_mask(torch.tensor(lengths), max_len)
    left.imshow(hidden.numpy(), cmap="Greys", vmin=0, vmax=1)
    left.set(xlabel="key", ylabel="row of the batch", title="padding mask (B, K)")
    right.imshow(causal_mask(max_len).numpy(), cmap="Greys", vmin=0, vmax=1)
    right.set(xlabel="key", ylabel="query", title="causal mask (Q, K)")
    return write(figure, path)


def draw_parameter_growth(path: Path, sizes: Sequence[int] = (64, 128, 256, 512, 1024)) -> Path:
    """Parameters of two encoder layers with d_ff = 4 d_model, against d_model."""
    layers = [LayerConfig(size, size // 32, 4 * size) for size in sizes]
    counts = [2 * sum(parameters_by_component(layer).values()) for layer in layers]
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(sizes, counts, "o-", base=2)
    for size, count in zip(sizes, counts, strict=True):
        axes.annotate(
            f"{count:,}", (size, count), xytext=(-8, 8), ha="right", textcoords="offset points"
        )
    axes.set(
        xlabel="d_model", ylabel="parameters", title="twice the size, four times the parameters"
    )
    axes.margins(0.2)  # room for the numbers
    axes.grid(alpha=0.3)
    return write(figure, path)


def draw_heads(
    weights: Tensor, queries: Sequence[str], keys: Sequence[str], path: Path, columns: int = 4
) -> Path:
    """The attention weights of one sequence, head by head: (H, Q, K); dark = the largest of all.

    Without a Chinese font on the machine the tokens are numbered, and listed in a text file of the
    picture's name.
    """
    font = chinese_font()
    if font is None and any(character >= "\u2e80" for character in "".join((*queries, *keys))):
        _list_tokens(queries, keys, path.with_suffix(".txt"))
        queries, keys = [list(map(str, range(len(side)))) for side in (queries, keys)]
    darkest = weights.max().item()
    rows = -(-len(weights) // columns)
    size = (columns * (1.2 + 0.18 * len(keys)), rows * (1.2 + 0.18 * len(queries)))
    with plt.rc_context({"font.family": [font, "sans-serif"] if font else ["sans-serif"]}):
        figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained")
        figure.suptitle(f"from white, 0, to dark, {darkest:.2f}", fontsize=9)
        for axes in np.ravel(grid)[len(weights) :]:
            axes.remove()
        for head, (axes, of_head) in enumerate(zip(np.ravel(grid), weights, strict=False)):
            axes.imshow(of_head.detach().numpy(), cmap="Blues", vmin=0, vmax=darkest)
            axes.set_title(f"head {head}", fontsize=9)
            axes.set_xticks(range(len(keys)), keys, rotation=90, fontsize=7)
            axes.set_yticks(range(len(queries)), queries, fontsize=7)
        return write(figure, path)


def _read_with(folder: Path, title: str) -> tuple[Tensor, list[str]]:
    """The last layer's weights (H, S, S) over a title, and its S tokens."""
    ids, tokens = read_title(folder, title)
    return Encoder.from_bert(folder).trace(ids).attention_weights[-1][0], tokens


def read_title(folder: Path, title: str) -> tuple[Tensor, list[str]]:
    """A title's (1, S) ids and its S tokens, by the folder's tokenizer.

    Raises:
        PretrainedError: no tokenizer.json.
    """
    path = folder / "tokenizer.json"
    if not path.exists():
        raise PretrainedError(f"{folder} has no tokenizer.json; save a fast tokenizer with it")
    encoding = Tokenizer.from_file(str(path)).encode(title)
    return torch.tensor([encoding.ids]), encoding.tokens


def chinese_font() -> str | None:
    """An installed font family with Chinese glyphs, if there is one."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((family for family in _CHINESE_FONTS if family in installed), None)


def _list_tokens(queries: Sequence[str], keys: Sequence[str], path: Path) -> None:
    sides = [("rows", queries), ("columns", keys)]
    lines = [f"{side} {i} {token}" for side, tokens in sides for i, token in enumerate(tokens)]
    with staged_file(path) as neighbour:
        neighbour.write_text("\n".join(lines) + "\n", encoding="utf-8")
