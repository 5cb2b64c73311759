"""What is reported of a translator: BLEU, the cache's speed, and an alignment."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from sacrebleu.metrics import BLEU
from sentence_pairs import BOS_ID, EOS_ID, PAD_ID, TranslationData, by_source
from torch.nn import functional as F

from models.staging import staged_file
from models.transformer.seq2seq.generation import generate
from models.transformer.seq2seq.transformer import Transformer
from models.transformer.study.figures import draw_heads
from training.batches import pad

ALIGNED = "I don't know what to say."
SAMPLED = {"temperature": 0.7, "seed": 0}


def bleu(model: Any, data: TranslationData, strategy: str) -> dict[str, float]:
    """BLEU of the test sources against all their translations, with its 95 % interval."""
    references = by_source(data.parts.test)
    sources = sorted(references, key=len)
    started, written = time.perf_counter(), []
    for start in range(0, len(sources), 64):
        written += translate(model, data, sources[start : start + 64], strategy)
    seconds = time.perf_counter() - started
    most = max(map(len, references.values()))
    columns = [
        [(*references[source], *[None] * most)[i] for source in sources] for i in range(most)
    ]
    score = BLEU().corpus_score(written, columns, n_bootstrap=1000)
    return {
        "bleu": round(score.score, 2),
        "plus_minus": round(score._ci, 2),
        "sentences_per_s": round(len(sources) / seconds, 1),
    }


def translate(
    model: Any, data: TranslationData, sentences: Sequence[str], strategy: str = "beam"
) -> list[str]:
    source = pad(data.encode(sentences), PAD_ID)["input_ids"]
    sampled = SAMPLED if strategy in ("top_k", "top_p") else {}
    has_cache = isinstance(model, Transformer)
    return data.decode(
        generate(model, source, strategy, max_len=80, use_cache=has_cache, **sampled)
    )


def measure_cache(
    model: Transformer, data: TranslationData, lengths: Sequence[int]
) -> list[dict[str, float]]:
    """Seconds to write a target of each length, with and without the cache, <eos> forbidden."""
    source = pad(data.encode([ALIGNED] * 8), PAD_ID)["input_ids"]
    bias = model.output_projection.bias
    kept = bias[EOS_ID].item()
    rows = []
    with torch.no_grad():
        bias[EOS_ID] = -1e4
    for length in lengths:
        row: dict[str, float] = {"tokens": length}
        for name, use_cache in (("with_cache_s", True), ("without_cache_s", False)):
            times = []
            for _ in range(3):
                started = time.perf_counter()
                generate(model, source, max_len=length, use_cache=use_cache)
                times.append(time.perf_counter() - started)
            row[name] = round(min(times), 4)
        rows.append(row)
    with torch.no_grad():
        bias[EOS_ID] = kept
    return rows


def draw_cache_speed(rows: list[dict[str, float]], path: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    at = [row["tokens"] for row in rows]
    for name, label in (("with_cache_s", "with cache"), ("without_cache_s", "without")):
        axes.plot(at, [row[name] for row in rows], "o-", label=label)
    axes.set(xlabel="tokens written", ylabel="seconds", title="8 sentences, greedy")
    axes.legend()
    axes.grid(alpha=0.3)
    with staged_file(path) as neighbour:
        figure.savefig(neighbour, dpi=120, format="png")
    plt.close(figure)


def draw_alignment(model: Transformer, data: TranslationData, path: Path) -> dict[str, str]:
    """The last layer's cross-attention while the model writes its own translation."""
    source = torch.tensor(data.encode([ALIGNED]))
    written = generate(model, source, max_len=40)  # (1, T)
    shifted = F.pad(written[:, :-1], (1, 0), value=BOS_ID)
    with torch.inference_mode():
        memory = model.encode(source)
        weights = model.decoder.cross_attention_weights(shifted, memory)[-1][0]  # (H, T, S)
    rows, columns = (
        [data.tokenizer.id_to_token(i) for i in ids[0].tolist()] for ids in (written, source)
    )
    draw_heads(weights, rows, columns, path)
    return {"source": ALIGNED, "written": data.decode(written)[0]}


def write_results(results: dict[str, Any], folder: Path, numbers: Path) -> None:
    """Write results.md into the folder, and all numbers to a file of JSON."""
    for path, text in (
        (numbers, json.dumps(results, ensure_ascii=False, indent=2)),
        (folder / "results.md", _markdown(results)),
    ):
        with staged_file(path) as neighbour:
            neighbour.write_text(text + "\n", encoding="utf-8")


def _markdown(results: dict[str, Any]) -> str:
    lines = [
        "| model | strategy | BLEU | 95 % | sentences/s | training s |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for model in ("ours", "nn.Transformer"):
        for strategy, row in results.get(model, {}).get("bleu", {}).items():
            trained = results[model]["training_seconds"]
            lines.append(
                f"| {model} | {strategy} | {row['bleu']} | ±{row['plus_minus']} | "
                f"{row['sentences_per_s']} | {trained} |"
            )
    lines += ["", "| tokens | with cache s | without s | ratio |", "|--:|--:|--:|--:|"]
    for row in results["cache"]:
        ratio = row["without_cache_s"] / row["with_cache_s"]
        lines.append(
            f"| {row['tokens']} | {row['with_cache_s']} | {row['without_cache_s']} | {ratio:.1f} |"
        )
    return "\n".join(
        [*lines, "", f"{results['aligned']['source']} → {results['aligned']['written']}"]
    )
