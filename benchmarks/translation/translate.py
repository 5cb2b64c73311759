"""Train a small Transformer to translate, and show that its decoder earns its place.

    python benchmarks/translation/translate.py --data eng-fra.txt \\
        --results benchmarks/results/translation.json

Writes BLEU of each way to generate, of our model and of the same one around `nn.Transformer`, and
the speed with and without cache, to the results file; and to the output folder results.md,
cache_speed.png, alignment.png, and the runs with their curves.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_pairs import BOS_ID, EOS_ID, PAD_ID, Pair, TranslationData
from torch import Tensor, nn
from torch.nn import functional as F
from translation_report import bleu, draw_alignment, draw_cache_speed, measure_cache, write_results

from models import machine
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.generation import STRATEGIES
from models.transformer.seq2seq.transformer import Transformer
from models.transformer.study.cost import parameters
from models.transformer.study.torch_reference import TorchTransformer
from training.batches import LengthBucketedBatches, pad
from training.default_observers import default_observers
from training.history import History
from training.loop import TrainingLoop
from training.settings import LoopSettings


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    torch.manual_seed(options.seed)
    data = TranslationData.read(options.data, options.vocab_size, options.limit)
    results: dict[str, Any] = {
        "machine": machine.describe() | {"threads": torch.get_num_threads()},
        "pairs": {part: len(getattr(data.parts, part)) for part in ("train", "dev", "test")},
        "data": options.data.name,
        "options": {k: v for k, v in vars(options).items() if not isinstance(v, Path)},
    }
    ours, results["ours"] = run(Transformer, data, options, STRATEGIES)
    if not options.no_reference:
        strategies = ("greedy", "beam")
        _, results["nn.Transformer"] = run(TorchTransformer, data, options, strategies)
    results["cache"] = measure_cache(ours, data, options.cache_lengths)
    draw_cache_speed(results["cache"], options.output / "cache_speed.png")
    results["aligned"] = draw_alignment(ours, data, options.output / "alignment.png")
    write_results(results, options.output, options.results or options.output / "results.json")
    print((options.output / "results.md").read_text())


class TranslationLoss:
    """Cross-entropy, label-smoothed by 0.1, of the next token of the target, shifted right."""

    def __init__(self, data: TranslationData, pairs: Sequence[Pair]):
        self.sources = data.encode([source for source, _ in pairs])
        self.targets = data.encode([target for _, target in pairs])
        self.lengths = [len(s) + len(t) for s, t in zip(self.sources, self.targets, strict=True)]

    def __call__(self, model: nn.Module, rows: list[int], smoothing: float = 0.1) -> Tensor:
        device = next(model.parameters()).device
        source = pad([self.sources[row] for row in rows], PAD_ID)["input_ids"].to(device)
        answer = pad([self.targets[row] for row in rows], PAD_ID)["input_ids"].to(device)
        shifted = F.pad(answer[:, :-1], (1, 0), value=BOS_ID)  # <bos> w₁ … wₙ
        logits = model(source, shifted).float()  # (B, T, V)
        return F.cross_entropy(
            logits.flatten(0, 1), answer.flatten(), ignore_index=PAD_ID, label_smoothing=smoothing
        )

    def dev_score(self, model: nn.Module, batch_size: int = 256) -> dict[str, float]:
        """The unsmoothed loss, and its negative as the score to be raised."""
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        total = 0.0
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            tokens = sum(len(self.targets[row]) for row in rows)
            total += self(model, rows, smoothing=0.0).item() * tokens
        loss = total / sum(map(len, self.targets))
        return {"score": -loss, "loss": loss}


def run(
    kind: type[Transformer] | type[TorchTransformer],
    data: TranslationData,
    options: argparse.Namespace,
    strategies: Sequence[str],
) -> tuple[Any, dict[str, Any]]:
    """Train a model of one kind and score it."""
    torch.manual_seed(options.seed)
    vocab_size = data.tokenizer.get_vocab_size()
    layer = LayerConfig(options.d_model, options.heads, options.d_ff, dropout=options.dropout)
    model = kind(vocab_size, vocab_size, layer, options.layers, 256, PAD_ID, BOS_ID, EOS_ID)
    history = fit(model, data, options, options.output / kind.__name__)
    model = model.cpu().eval()
    result = {
        "parameters": parameters(model),
        "training_seconds": round(history.seconds, 1),
        "dev_loss": round(history.best["loss"], 4),
        "bleu": {name: bleu(model, data, name) for name in strategies},
    }
    return model, result


def fit(
    model: nn.Module, data: TranslationData, options: argparse.Namespace, folder: Path
) -> History:
    loss, dev = TranslationLoss(data, data.parts.train), TranslationLoss(data, data.parts.dev)
    settings = LoopSettings(
        epochs=options.epochs,
        batch_size=options.batch_size,
        learning_rate=options.learning_rate,
        average_decay=0.99,
        seed=options.seed,
    )
    batches = LengthBucketedBatches(loss.lengths, settings.batch_size, settings.seed)
    watched = default_observers(folder)
    loop = TrainingLoop(model, loss, batches, settings, folder, dev.dev_score, observers=watched)
    return loop.run()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="lines of source<TAB>target")
    parser.add_argument("--output", type=Path, default=Path("artifacts/translation"))
    parser.add_argument("--results", type=Path, help="by default OUTPUT/results.json")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=1.5e-3)
    parser.add_argument("--d-model", type=int, default=256)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--d-ff", type=int, default=512)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--vocab-size", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--limit", type=int, help="take about this many pairs of the file")
    parser.add_argument("--cache-lengths", type=int, nargs="+", default=[10, 20, 40, 80, 160])
    parser.add_argument("--no-reference", action="store_true", help="skip nn.Transformer")
    return parser


if __name__ == "__main__":
    main()
