"""Fine-tuning speed: ours against `transformers.Trainer` as a careful user sets it.

The careful Trainer pads each batch to its longest title, groups titles by length and computes in
bf16 where the processor does. All read the same titles, as often, in batches of 32, with as many
threads and steps. Ours and the careful Trainer take turns, one right after the other, so that a
machine that grows slower does so for both; what is told is the median of the rounds, with the
slowest and the fastest. The last row, for reference, run once, is the Trainer as its documentation
shows it: fp32, every title padded to 64 tokens. Opening the model, evaluations and checkpoints
are not counted.

Then each trains for some epochs, is evaluated every quarter of one, and it is told after how many
seconds it first reached the accuracy that all of them reached.

    python benchmarks/finetune_speed.py --output benchmarks/results/finetune_speed.json
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import DataCollatorWithPadding, Trainer, TrainerCallback, TrainingArguments

from models.encoder import EncoderClassifier
from models.machine import describe, has_native_bf16
from titles import LabelledTitles, Source, read
from training.batches import LengthBucketedBatches
from training.finetune import (
    ClassificationLoss,
    FineTuneSettings,
    open_encoder,
    recommended,
    score_on,
)
from training.loop import TrainingLoop
from training.observer import Observer
from training.pretrained import BUILT_IN, resolve

BATCH_SIZE, MAX_LENGTH = 32, 64
EVALUATIONS_PER_EPOCH = 4


@dataclass(frozen=True)
class Task:
    """What all of them train, on what, and how long."""

    encoder: Path
    train: LabelledTitles
    dev: LabelledTitles
    epochs: int = 1
    learning_rate: float = 1e-4
    evaluated: bool = False

    @property
    def steps_between_evaluations(self) -> int:
        return max(1, -(-len(self.train) // BATCH_SIZE) // EVALUATIONS_PER_EPOCH)


@dataclass
class Stopwatch:
    """Seconds of training and of the processor, without what passes while it is paused."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)
    """Each evaluation: the seconds of training before it, and the accuracy."""
    _since: tuple[float, float] | None = None

    def resume(self) -> None:
        if self._since is None:
            self._since = time.perf_counter(), time.process_time()

    def pause(self) -> None:
        if self._since is not None:
            self.wall_s += time.perf_counter() - self._since[0]
            self.cpu_s += time.process_time() - self._since[1]
            self._since = None

    def evaluate(self, classifier: EncoderClassifier, dev: LabelledTitles) -> dict[str, float]:
        """Score, paused; who goes on training resumes."""
        self.pause()
        scores = score_on(classifier, dev)
        self.curve.append({"seconds": round(self.wall_s, 2), "accuracy": scores["accuracy"]})
        return scores


class UntilTheEnd(Observer):
    """Pauses the watch when training ends, before the last checkpoint is written."""

    def __init__(self, watch: Stopwatch):
        self.watch = watch

    def run_ended(self) -> None:
        self.watch.pause()


def run_ours(task: Task, consistency: float) -> Stopwatch:
    """Our loop; with `consistency`, each title is read twice (R-Drop)."""
    watch = Stopwatch()
    settings = FineTuneSettings(
        epochs=task.epochs,
        batch_size=BATCH_SIZE,
        learning_rate=task.learning_rate,
        max_length=MAX_LENGTH,
        consistency=consistency,
        average_decay=recommended(BUILT_IN).average_decay,
        evaluations_per_epoch=EVALUATIONS_PER_EPOCH,
        patience=task.epochs * EVALUATIONS_PER_EPOCH + 1,
        checkpoint_seconds=math.inf,
    )
    classifier = open_encoder(task.encoder, task.train.labels, MAX_LENGTH)
    loss = ClassificationLoss(classifier, task.train, settings)

    def timed_loss(model: nn.Module, rows: list[int]) -> Tensor:
        watch.resume()
        return loss(model, rows)

    def evaluate(model: Any) -> dict[str, float]:
        averaged = EncoderClassifier(model, classifier.tokenizer, task.train.labels, MAX_LENGTH)
        return watch.evaluate(averaged, task.dev)

    with tempfile.TemporaryDirectory() as folder:
        TrainingLoop(
            classifier.model,
            timed_loss,
            LengthBucketedBatches(loss.lengths, BATCH_SIZE, settings.seed),
            settings,
            Path(folder),
            evaluate if task.evaluated else None,
            observers=[UntilTheEnd(watch)],
        ).run()
    return watch


class TimedTrainer(TrainerCallback):
    """Runs the watch while the Trainer trains, and evaluates as often as our loop does."""

    def __init__(self, watch: Stopwatch, task: Task, classifier: EncoderClassifier):
        self.watch, self.task, self.classifier = watch, task, classifier

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self.watch.resume()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.task.evaluated and state.global_step % self.task.steps_between_evaluations == 0:
            self.classifier.model.eval()
            self.watch.evaluate(self.classifier, self.task.dev)
            self.classifier.model.train()

    def on_train_end(self, *_: Any, **__: Any) -> None:
        self.watch.pause()


def run_trainer(task: Task, careful: bool) -> Stopwatch:
    """`transformers.Trainer`; not `careful`: in fp32, every title padded to 64 tokens."""
    watch = Stopwatch()
    classifier = open_encoder(task.encoder, task.train.labels, MAX_LENGTH)
    tokenizer = classifier.tokenizer
    padding = True if careful else "max_length"
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=task.epochs,
            per_device_train_batch_size=BATCH_SIZE,
            learning_rate=task.learning_rate,
            warmup_steps=0.1,  # below 1: a share of all steps
            weight_decay=0.01,
            bf16=careful and _computes_bf16(),
            train_sampling_strategy="group_by_length" if careful else "random",
            use_cpu=not torch.cuda.is_available(),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            logging_strategy="no",
        )
        trainer = Trainer(
            classifier.model,
            arguments,
            data_collator=DataCollatorWithPadding(tokenizer, padding, MAX_LENGTH),
            train_dataset=_rows(tokenizer, task.train),
            callbacks=[TimedTrainer(watch, task, classifier)],
        )
        with redirect_stdout(sys.stderr):  # it prints its own summary
            trainer.train()
    return watch


REFERENCE = "Trainer, fp32, padded to 64"
RUNS: dict[str, Callable[[Task], Stopwatch]] = {
    "ours": lambda task: run_ours(task, consistency=0.0),
    "careful Trainer": lambda task: run_trainer(task, careful=True),
    "ours with R-Drop": lambda task: run_ours(task, consistency=recommended(BUILT_IN).consistency),
    REFERENCE: lambda task: run_trainer(task, careful=False),
}


def measure_speed(task: Task, rounds: int) -> dict[str, Any]:
    """Titles a second of wall and of processor time, and how they compare in each round."""
    watches: dict[str, list[Stopwatch]] = {name: [] for name in RUNS}
    for number in range(rounds):
        for name, run in RUNS.items():
            if name == REFERENCE and number:
                continue
            watches[name].append(run(task))
            print(f"round {number + 1}: {name} {watches[name][-1].wall_s:.1f} s", file=sys.stderr)
    titles = len(task.train) * task.epochs
    speeds = {
        name: {
            "titles_per_s": _spread([titles / watch.wall_s for watch in measured]),
            "titles_per_cpu_s": _spread([titles / watch.cpu_s for watch in measured]),
        }
        for name, measured in watches.items()
    }
    pairs = zip(watches["careful Trainer"], watches["ours"], strict=True)
    ratios = [theirs.wall_s / ours.wall_s for theirs, ours in pairs]
    return {"speed": speeds, "times_careful_trainer": _spread(ratios, digits=2)}


def measure_accuracy(task: Task, target: float | None) -> dict[str, Any]:
    """Seconds of training until each first reached the accuracy that all reached, or `target`."""
    task = replace(task, evaluated=True)
    curves = {name: run(task).curve for name, run in RUNS.items() if name != REFERENCE}
    if target is None:
        target = min(max(row["accuracy"] for row in curve) for curve in curves.values())
    seconds = {
        name: next((row["seconds"] for row in curve if row["accuracy"] >= target), None)
        for name, curve in curves.items()
    }
    best = {name: max(row["accuracy"] for row in curve) for name, curve in curves.items()}
    return {
        "epochs": task.epochs,
        "dev_titles": len(task.dev),
        "target_accuracy": target,
        "seconds_to_target": seconds,
        "best_accuracy": best,
        "curves": curves,
    }


def measure_limit(task: Task, speed: float) -> dict[str, float]:
    """How near our step comes to what matrix products alone reach here.

    Args:
        speed: ours, in titles a second.
    """
    settings = FineTuneSettings(max_length=MAX_LENGTH)
    classifier = open_encoder(task.encoder, task.train.labels, MAX_LENGTH)
    loss = ClassificationLoss(classifier, task.train, settings)
    batches = LengthBucketedBatches(loss.lengths, BATCH_SIZE, settings.seed).epoch(0)
    with FlopCounterMode(display=False) as counter:
        for rows in batches:
            loss(classifier.model.train(), rows).backward()
    gflop_per_title = counter.get_total_flops() / 1e9 / len(task.train)
    tokens = round(sum(loss.lengths) / len(batches))
    peak = _peak_gflop_per_s(tokens, classifier.model.config)
    return {
        "gflop_per_title": round(gflop_per_title, 2),
        "step_gflop_per_s": round(gflop_per_title * speed, 1),
        "products_alone_gflop_per_s": round(peak, 1),
        "titles_per_s_at_most": round(peak / gflop_per_title, 1),
    }


def _peak_gflop_per_s(tokens: int, config: Any) -> float:
    """Of the product that a step spends most on: a batch's tokens by a feed-forward matrix."""
    dtype = torch.bfloat16 if _computes_bf16() else torch.float32
    x = torch.randn(tokens, config.hidden_size, dtype=dtype)
    weight = torch.randn(config.hidden_size, config.intermediate_size, dtype=dtype)
    seconds = []
    for _ in range(200):
        started = time.perf_counter()
        x @ weight
        seconds.append(time.perf_counter() - started)
    return 2 * x.numel() * weight.shape[1] / statistics.median(seconds) / 1e9


def _rows(tokenizer: Any, examples: LabelledTitles) -> list[dict[str, Any]]:
    encoded = tokenizer(list(examples.titles), truncation=True, max_length=MAX_LENGTH)
    return [
        {"input_ids": ids, "attention_mask": mask, "labels": int(label)}
        for ids, mask, label in zip(
            encoded["input_ids"], encoded["attention_mask"], examples.label_ids, strict=True
        )
    ]


def _spread(values: list[float], digits: int = 1) -> dict[str, float]:
    median = statistics.median(values)
    told = {"median": median, "slowest": min(values), "fastest": max(values)}
    return {name: round(value, digits) for name, value in told.items()}


def _computes_bf16() -> bool:
    return torch.cuda.is_available() or has_native_bf16()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", default="samples/train.txt", help="labelled titles")
    parser.add_argument("--dev", default="samples/dev.txt", help="titles to evaluate on")
    parser.add_argument("--encoder", default=BUILT_IN)
    parser.add_argument("--steps", type=int, default=30, help="of each run whose speed is measured")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each; 0 = no speed")
    parser.add_argument(
        "--epochs", type=int, default=5, help="of the run that is evaluated; 0 = none"
    )
    parser.add_argument(
        "--target", type=float, help="accuracy to reach; by default the highest that all reach"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the JSON is written")
    return parser.parse_args()


def main() -> None:
    options = _options()
    train = read(Source(options.train))
    dev = read(Source(options.dev), train.labels)
    encoder = resolve(options.encoder, [*train.titles, *dev.titles])
    part = train.take(range(min(len(train), options.steps * BATCH_SIZE)))
    result: dict[str, Any] = {
        "titles": len(part),
        "batch_size": BATCH_SIZE,
        "precision": "bf16" if _computes_bf16() else "fp32",
        "threads": torch.get_num_threads(),
        **describe(),
    }
    if options.rounds:
        task = Task(encoder, part, dev)
        result |= {"rounds": options.rounds, **measure_speed(task, options.rounds)}
        ours = result["speed"]["ours"]["titles_per_s"]["median"]
        result["limit"] = measure_limit(task, ours)
    if options.epochs:
        task = Task(encoder, train, dev, options.epochs)
        result["time_to_accuracy"] = measure_accuracy(task, options.target)
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
