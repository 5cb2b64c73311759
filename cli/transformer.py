"""`biaoti transformer`: look into the Transformer written by hand."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cli.options import add_verb, add_verbs

DEFAULT_TITLE = "国足客场一球小胜 小组赛取得开门红"


def add_to(verbs: Any) -> None:
    transformer = verbs.add_parser("transformer", help="look into the Transformer written by hand")
    parts = add_verbs(transformer)
    parser = add_verb(
        parts,
        "figures",
        figures,
        """
        biaoti transformer figures --output figures
        biaoti transformer figures --encoder artifacts/encoder --title 国足客场一球小胜
        """,
    )
    parser.add_argument(
        "--output", type=Path, default=Path("figures"), metavar="FOLDER", help="where PNGs go"
    )
    parser.add_argument(
        "--encoder", type=Path, metavar="FOLDER", help="draw this encoder's attention weights, too"
    )
    parser.add_argument("--title", default=DEFAULT_TITLE, help="the title that it reads")
    _add_cost(parts)


def figures(options: argparse.Namespace) -> None:
    """Draw position codes, masks, parameter growth and, given an encoder, attention weights."""
    from models.transformer.study.figures import draw_all

    for path in draw_all(options.output, options.encoder, options.title):
        print(path)


def cost(options: argparse.Namespace) -> None:
    """Print parameters, FLOPs, memory and measured time of a layer against sequence length."""
    from models.transformer.layer_config import LayerConfig
    from models.transformer.study.cost import table

    layer = LayerConfig(d_model=options.d_model, num_heads=options.heads, d_ff=options.d_ff)
    print(table(layer, options.lengths))


def _add_cost(parts: Any) -> None:
    parser = add_verb(
        parts,
        "cost",
        cost,
        """
        biaoti transformer cost --lengths 32 128 512
        biaoti transformer cost --d-model 384 --heads 12 --d-ff 1536 --lengths 20 64
        """,
    )
    parser.add_argument("--d-model", type=int, default=512, metavar="N", help="width of the layer")
    parser.add_argument("--heads", type=int, default=8, metavar="N", help="attention heads")
    parser.add_argument("--d-ff", type=int, default=2048, metavar="N", help="feed-forward width")
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=[32, 128, 512, 1024, 2048], metavar="N",
        help="tokens of a sequence",
    )  # fmt: skip
