"""The training loop: AdamW, warm-up then linear decay, clipping, averaging, checkpoints, curves.

What is trained is the caller's: a model, batches of row indices, and a loss over such a batch.
A run lives in a folder and can be killed at any moment; the same call then goes on from the last
checkpoint and ends with the same weights as an unbroken run.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from models.errors import UsageError
from models.machine import has_native_bf16
from models.staging import staged_file
from training.batches import LengthBucketedBatches
from training.curves import draw_curves

Loss = Callable[[nn.Module, list[int]], Tensor]
Evaluate = Callable[[nn.Module], dict[str, float]]


@dataclass(frozen=True)
class LoopSettings:
    """How to train. The defaults are those of a full-size BERT."""

    epochs: int = 3
    """Passes over the data."""
    batch_size: int = 32
    """Titles a step."""
    learning_rate: float = 2e-5
    """Peak rate of AdamW, at the top of the encoder."""
    layer_decay: float = 1.0
    """Factor on the rate from each encoder layer to the one below it; 1 = the same everywhere."""
    weight_decay: float = 0.01
    """Of AdamW; biases and LayerNorm are exempt."""
    warmup_ratio: float = 0.1
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    max_grad_norm: float = 1.0
    """The gradient is scaled down to this norm."""
    average_decay: float = 0.0
    """Decay a step of the exponential moving average that is evaluated and kept; 0 = no average."""
    evaluations_per_epoch: int = 1
    """How often the dev score is taken in an epoch."""
    patience: int = 3
    """Evaluations without a better score after which training stops."""
    precision: str = "auto"
    """bf16, fp32, or auto: bf16 where the processor computes in it."""
    checkpoint_seconds: float = 120.0
    """Time between checkpoints."""
    seed: int = 13
    """Of the order of the rows, of dropout and of new weights."""

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch_size, self.evaluations_per_epoch, self.patience) < 1:
            raise UsageError(
                "epochs, batch_size, evaluations_per_epoch and patience must be at least 1"
            )
        if not 0 <= self.warmup_ratio < 1 or not 0 <= self.average_decay < 1:
            raise UsageError("warmup_ratio and average_decay must be in [0, 1)")
        if self.precision not in ("auto", "bf16", "fp32"):
            raise UsageError(f"precision must be auto, bf16 or fp32, not '{self.precision}'")


@dataclass
class History:
    """What a run measured: a row every few steps, and a row an evaluation."""

    steps: list[dict[str, float]] = field(default_factory=list)
    evaluations: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    """Training time, all sessions of an interrupted run together."""

    @property
    def best(self) -> dict[str, float]:
        """The evaluation with the highest score."""
        return max(self.evaluations, key=lambda row: row["score"])


class TrainingLoop:
    """Trains `model` in place and leaves it with its best weights.

    Args:
        model: what is trained.
        loss: (model, row indices) to a scalar tensor; called under autocast.
        batches: which rows, in which order.
        settings: how.
        folder: of the run: checkpoint, best weights, curves, TensorBoard events.
        evaluate: model to {"score": …, …}, higher is better; without it the last weights are kept.
        show_progress: a bar on standard error with speed and time left.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        batches: LengthBucketedBatches,
        settings: LoopSettings,
        folder: Path,
        evaluate: Evaluate | None = None,
        show_progress: bool = True,
    ):
        self.model, self.loss, self.batches = model, loss, batches
        self.settings, self.folder, self.evaluate = settings, folder, evaluate
        self.show_progress = show_progress
        self.total_steps = settings.epochs * len(batches)
        self.optimizer = torch.optim.AdamW(
            parameter_groups(model, settings), lr=settings.learning_rate, fused=True
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate_factor)
        self.average = WeightAverage(model, settings.average_decay)
        self.history = History()
        self.step = 0
        folder.mkdir(parents=True, exist_ok=True)

    def run(self) -> History:
        """Train to the end, or to the end of patience."""
        torch.manual_seed(self.settings.seed)
        self._resume()
        started, checkpointed = time.monotonic() - self.history.seconds, time.monotonic()
        with (
            SummaryWriter(self.folder / "events", purge_step=self.step) as events,
            self._bar() as bar,
        ):
            while self.step < self.total_steps and not self._out_of_patience():
                loss = self._train_step()
                self.history.seconds = time.monotonic() - started
                bar.update(1)
                if self.step % 20 == 0:
                    self._record(loss, events, bar)
                if self._evaluation_is_due():
                    self._evaluate(events, bar)
                if time.monotonic() - checkpointed > self.settings.checkpoint_seconds:
                    self._checkpoint()
                    checkpointed = time.monotonic()
        self._checkpoint()
        self._keep_best()
        return self.history

    def _train_step(self) -> float:
        self.model.train()
        epoch, place = divmod(self.step, len(self.batches))
        rows = self._epoch_batches(epoch)[place]
        with self._autocast():
            loss = self.loss(self.model, rows)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad()
        self.step += 1
        self.average.update(self.step)
        return loss.item()

    def _epoch_batches(self, number: int) -> list[list[int]]:
        if getattr(self, "_cached_epoch", None) != number:
            self._cached_epoch, self._cached_batches = number, self.batches.epoch(number)
        return self._cached_batches

    def _autocast(self) -> torch.autocast:
        wanted = self.settings.precision
        enabled = wanted == "bf16" or (wanted == "auto" and has_native_bf16())
        return torch.autocast("cpu", torch.bfloat16, enabled=enabled)

    def _rate_factor(self, step: int) -> float:
        warmup = max(1, round(self.settings.warmup_ratio * self.total_steps))
        if step < warmup:
            return step / warmup
        return max(0.0, (self.total_steps - step) / max(1, self.total_steps - warmup))

    # --- what is seen of a run

    def _bar(self) -> tqdm:
        return tqdm(
            total=self.total_steps,
            initial=self.step,
            disable=not self.show_progress,
            unit="step",
            mininterval=1 if os.isatty(2) else 30,
            dynamic_ncols=True,
        )

    def _record(self, loss: float, events: SummaryWriter, bar: tqdm) -> None:
        rate = self.schedule.get_last_lr()[0]
        titles_per_s = self.step * self.settings.batch_size / self.history.seconds
        row = {"step": self.step, "loss": loss, "learning_rate": rate, "titles_per_s": titles_per_s}
        self.history.steps.append(row)
        for name in ("loss", "learning_rate", "titles_per_s"):
            events.add_scalar(name, row[name], self.step)
        bar.set_postfix(loss=f"{loss:.3f}", titles_per_s=f"{titles_per_s:.0f}", refresh=False)

    # --- evaluation

    def _evaluation_is_due(self) -> bool:
        if self.evaluate is None:
            return False
        interval = max(1, len(self.batches) // self.settings.evaluations_per_epoch)
        return self.step % interval == 0 or self.step == self.total_steps

    def _evaluate(self, events: SummaryWriter, bar: tqdm) -> None:
        assert self.evaluate is not None
        self.model.eval()
        with self.average.applied(), torch.inference_mode(), self._autocast():
            row = {"step": self.step, **self.evaluate(self.model)}
            self.history.evaluations.append(row)
            if row["score"] >= self.history.best["score"]:
                _write(self.folder / "best.pt", self.model.state_dict())
        for name, value in row.items():
            if name != "step":
                events.add_scalar(f"dev/{name}", value, self.step)
        shown = "  ".join(f"{name} {value:.4f}" for name, value in row.items() if name != "step")
        bar.write(f"step {self.step}/{self.total_steps}  dev {shown}", file=bar.fp)
        draw_curves(self.history.steps, self.history.evaluations, self.folder / "curves.png")
        self._checkpoint()

    def _out_of_patience(self) -> bool:
        rows = self.history.evaluations
        return (
            bool(rows) and len(rows) - 1 - rows.index(self.history.best) >= self.settings.patience
        )

    def _keep_best(self) -> None:
        if self.history.evaluations:
            self.model.load_state_dict(torch.load(self.folder / "best.pt", weights_only=True))
        else:
            self.average.keep()
        self.model.eval()

    # --- interruption

    def _checkpoint(self) -> None:
        state = {
            "settings": asdict(self.settings),
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "average": self.average.state,
            "random": torch.get_rng_state(),
            "history": json.dumps(asdict(self.history)),
        }
        _write(self.folder / "checkpoint.pt", state)

    def _resume(self) -> None:
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return
        state: dict[str, Any] = torch.load(path, weights_only=True)
        if state["settings"] != asdict(self.settings):
            raise UsageError(
                f"{path} is of a run with other settings; pass the same ones, or another folder"
            )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.average.state = state["average"]
        self.step = state["step"]
        self.history = History(**json.loads(state["history"]))
        torch.set_rng_state(state["random"])


class WeightAverage:
    """An exponential moving average of a model's parameters, with a warm start.

    average ← d · average + (1 − d) · parameters,  d = min(decay, (1 + step) / (10 + step))
    """

    def __init__(self, model: nn.Module, decay: float):
        self.model, self.decay = model, decay
        self.state: dict[str, Tensor] = {}
        if decay:
            self.state = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        if not self.state:
            return
        decay = min(self.decay, (1 + step) / (10 + step))
        parameters = dict(self.model.named_parameters())
        torch._foreach_lerp_(
            list(self.state.values()), [parameters[name] for name in self.state], 1 - decay
        )

    def keep(self) -> None:
        """Leave the model with the average."""
        if self.state:
            self.model.load_state_dict(self.state, strict=False)

    def applied(self) -> _Swapped:
        """A context in which the model holds the average."""
        return _Swapped(self)


class _Swapped:
    def __init__(self, average: WeightAverage):
        self.average = average
        self.saved: dict[str, Tensor] = {}

    def __enter__(self) -> None:
        if self.average.state:
            model = self.average.model
            self.saved = {name: p.detach().clone() for name, p in model.named_parameters()}
            self.average.keep()

    def __exit__(self, *_: object) -> None:
        if self.saved:
            self.average.model.load_state_dict(self.saved, strict=False)


def parameter_groups(model: nn.Module, settings: LoopSettings) -> list[dict[str, Any]]:
    """AdamW's groups: no weight decay on vectors; a lower rate further down if asked for."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    depth = 1 + max((_layer(name) for name, _ in model.named_parameters()), default=0)
    for name, parameter in model.named_parameters():
        below_top = depth - min(depth, _layer(name)) if settings.layer_decay != 1 else 0
        rate = settings.learning_rate * settings.layer_decay**below_top
        decay = settings.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [
        {"params": parameters, "lr": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]


def _layer(name: str) -> float:
    """The depth of a parameter by its name: 0 = embeddings, n + 1 = layer n, inf = head."""
    if "embeddings" in name:
        return 0
    parts = name.split(".")
    numbers = [int(after) for part, after in zip(parts, parts[1:], strict=False) if part == "layer"]
    return numbers[0] + 1 if numbers else float("inf")


def _write(path: Path, state: object) -> None:
    with staged_file(path) as neighbour:
        torch.save(state, neighbour)
