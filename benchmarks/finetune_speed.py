"""Fine-tuning speed: ours against `transformers.Trainer` with padding to max_length.

The same encoder, titles, batch size and number of steps, one after the other in one process.
Ours buckets titles by length and computes in bf16 where the processor does; the Trainer is run as
its documentation shows it (fp32), and once more with bf16, to tell the two gains apart.

    python benchmarks/finetune_speed.py --train samples/train.txt --steps 40
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import torch
from transformers import Trainer, TrainingArguments

from models.encoder import EncoderClassifier
from models.machine import describe
from titles import LabelledTitles, Source, read
from training.batches import LengthBucketedBatches
from training.finetune import ClassificationLoss, FineTuneSettings, open_encoder
from training.loop import TrainingLoop
from training.pretrained import resolve

BATCH_SIZE = 32


def main() -> None:
    options = _options()
    train = read(Source(options.train))
    examples = train.take(range(min(len(train), options.steps * BATCH_SIZE)))
    encoder = resolve(options.encoder, train.titles)
    runs: dict[str, Callable[[], None]] = {
        "ours": lambda: run_ours(encoder, examples),
        "trainer": lambda: run_trainer(encoder, examples, bf16=False),
        "trainer_bf16": lambda: run_trainer(encoder, examples, bf16=True),
    }
    speeds = {name: round(len(examples) / _seconds(run), 1) for name, run in runs.items()}
    result = {
        "titles_per_s": speeds,
        "times_trainer": round(speeds["ours"] / speeds["trainer"], 2),
        "times_trainer_bf16": round(speeds["ours"] / speeds["trainer_bf16"], 2),
        "titles": len(examples),
        "batch_size": BATCH_SIZE,
        "threads": torch.get_num_threads(),
        **describe(),
    }
    print(json.dumps(result, indent=2))


def run_ours(encoder: Path, examples: LabelledTitles) -> None:
    """One epoch of our loop over `examples`, without evaluation."""
    settings = FineTuneSettings(epochs=1, batch_size=BATCH_SIZE)
    classifier = open_encoder(encoder, examples.labels, settings.max_length)
    loss = ClassificationLoss(classifier, examples, settings)
    batches = LengthBucketedBatches(loss.lengths, BATCH_SIZE, settings.seed)
    with tempfile.TemporaryDirectory() as folder:
        TrainingLoop(
            classifier.model, loss, batches, settings, Path(folder), show_progress=False
        ).run()


def run_trainer(encoder: Path, examples: LabelledTitles, bf16: bool) -> None:
    """One epoch of `transformers.Trainer` over `examples`, every title padded to 64 tokens."""
    classifier = open_encoder(encoder, examples.labels, 64)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH_SIZE,
            learning_rate=2e-5,
            bf16=bf16,
            use_cpu=not torch.cuda.is_available(),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            logging_strategy="no",
        )
        trainer = Trainer(classifier.model, arguments, train_dataset=_rows(classifier, examples))
        with redirect_stdout(sys.stderr):  # it prints its own summary
            trainer.train()


def _rows(classifier: EncoderClassifier, examples: LabelledTitles) -> list[dict[str, object]]:
    encoded = classifier.tokenizer(
        list(examples.titles), truncation=True, padding="max_length", max_length=64
    )
    return [
        {"input_ids": ids, "attention_mask": mask, "labels": label}
        for ids, mask, label in zip(
            encoded["input_ids"],
            encoded["attention_mask"],
            examples.label_ids.tolist(),
            strict=True,
        )
    ]


def _seconds(run: Callable[[], None]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", required=True, help="a file of labelled titles")
    parser.add_argument("--encoder", default="e5-small-zh")
    parser.add_argument("--steps", type=int, default=40)
    return parser.parse_args()


if __name__ == "__main__":
    main()
