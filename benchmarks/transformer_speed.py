"""How fast is our encoder beside torch's and Hugging Face's, forward and backward, in training?

    python benchmarks/transformer_speed.py --output benchmarks/results/transformer_speed.json

Three pairs with the same sizes, dropout and padding: pre-LN and post-LN against
`nn.TransformerEncoder` in training mode, and BERT's layers and embedding against `BertModel`
(sdpa). The two of a pair take turns, so that whatever else the machine does hits both; the ratio is
the median of the rounds' ratios, below 1 where ours is faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from models import machine
from models.staging import staged_file
from models.transformer.bert_weights import from_bert
from models.transformer.embedding import BertEmbedding
from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import padding_mask, to_attention_mask
from models.transformer.study.torch_weights import from_torch

VOCAB_SIZE = 5000
Forward = Callable[[], Tensor]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    told = machine.describe() | {
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
    }
    print(json.dumps(told, ensure_ascii=False))
    rows = []
    for length in options.lengths:
        for name, pair in pairs(options, length).items():
            row = {"pair": name, "batch": options.batch, "length": length}
            rows.append(row | compare(*pair, options.rounds))
            print(json.dumps(rows[-1], ensure_ascii=False))
    if options.output:
        report = {"machine": told, "options": vars(options) | {"output": None}, "rows": rows}
        with staged_file(options.output) as neighbour:
            neighbour.write_text(json.dumps(report, indent=2) + "\n")


def pairs(options: argparse.Namespace, length: int) -> dict[str, tuple[Forward, Forward]]:
    """Ours and the reference by name; equal weights, one batch for all, half of it padded."""
    torch.manual_seed(0)
    lengths = torch.randint(length // 2, length + 1, (options.batch,))
    padding = padding_mask(lengths, length)
    x = torch.randn(options.batch, length, options.d_model, requires_grad=True)
    ids = torch.randint(VOCAB_SIZE, (options.batch, length))
    made = {}
    for norm_first in (True, False):
        ours, theirs = torch_pair(options, norm_first)
        made[f"nn.TransformerEncoder, {'pre' if norm_first else 'post'}-LN"] = (
            lambda ours=ours: ours(x, padding),
            lambda theirs=theirs: theirs(x, src_key_padding_mask=padding),
        )
    ours, theirs = bert_pair(options)
    attention_mask = to_attention_mask(padding)
    made["BertModel, sdpa"] = (
        lambda: ours(ids, padding),
        lambda: theirs(input_ids=ids, attention_mask=attention_mask).last_hidden_state,
    )
    return made


def torch_pair(options: argparse.Namespace, norm_first: bool) -> tuple[nn.Module, nn.Module]:
    d, heads, d_ff = options.d_model, options.heads, 4 * options.d_model
    layer = nn.TransformerEncoderLayer(
        d, heads, d_ff, options.dropout, "gelu", batch_first=True, norm_first=norm_first
    )
    theirs = nn.TransformerEncoder(layer, options.layers, enable_nested_tensor=False)
    config = LayerConfig(
        d, heads, d_ff, dropout=options.dropout, activation="gelu", norm_first=norm_first
    )
    ours = Encoder([config] * options.layers, final_norm=False)
    ours.load_state_dict(from_torch(theirs.state_dict()))
    return ours.train(), theirs.train()


def bert_pair(options: argparse.Namespace) -> tuple[nn.Module, nn.Module]:
    config = BertConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=options.d_model,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.d_model,
        hidden_dropout_prob=options.dropout,
        attention_probs_dropout_prob=options.dropout,
        attn_implementation="sdpa",
    )
    theirs = BertModel(config, add_pooling_layer=False)
    layer = LayerConfig(
        options.d_model,
        options.heads,
        4 * options.d_model,
        dropout=options.dropout,
        inner_dropout=0.0,
        activation="gelu",
        norm_first=False,
        eps=config.layer_norm_eps,
    )
    embedding = BertEmbedding(VOCAB_SIZE, options.d_model, dropout=options.dropout)
    ours = Encoder([layer] * options.layers, embedding=embedding)
    ours.load_state_dict(from_bert(theirs.state_dict(), options.layers))
    return ours.train(), theirs.train()


def compare(ours: Forward, theirs: Forward, rounds: int) -> dict[str, float]:
    """Median milliseconds of forward, backward and both, and the median ratio ours / theirs."""
    times: dict[str, list[tuple[float, float]]] = {"ours": [], "theirs": []}
    for number in range(rounds + 1):
        turn = [("ours", ours), ("theirs", theirs)]
        for name, forward in turn if number % 2 else reversed(turn):
            times[name].append(step(forward))
    row = {}
    for i, phase in enumerate(("forward", "backward")):
        for name in times:
            row[f"{name}_{phase}_ms"] = _median_ms(t[i] for t in times[name][1:])  # 0 warms up
    for name in times:
        row[f"{name}_ms"] = _median_ms(sum(t) for t in times[name][1:])
    ratios = [sum(a) / sum(b) for a, b in zip(times["ours"], times["theirs"], strict=True)][1:]
    return row | {"ratio": round(statistics.median(ratios), 3)}


def step(forward: Forward) -> tuple[float, float]:
    """Seconds of one forward and one backward pass."""
    started = time.perf_counter()
    output = forward()
    between = time.perf_counter()
    output.sum().backward()
    return between - started, time.perf_counter() - between


def _median_ms(seconds: Iterable[float]) -> float:
    return round(1e3 * statistics.median(seconds), 2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lengths", type=int, nargs="+", default=[20, 64])
    parser.add_argument("--d-model", type=int, default=384)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, help="torch's; its own choice by default")
    parser.add_argument("--output", type=Path, help="a JSON file for the results")
    return parser


if __name__ == "__main__":
    main()
