"""The training loop: AdamW, warm-up then linear decay, clipping, averaging, checkpoints, curves.

What is trained is the caller's: a model, batches of row indices, and a loss over such a batch.
A run lives in a folder and can be killed at any moment; the same call then goes on from the last
checkpoint and ends with the same weights as an unbroken run.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from models.errors import UsageError
from models.staging import staged_file
from training.averaging import WeightAverage
from training.batches import LengthBucketedBatches
from training.curves import draw_curves
from training.optimization import parameter_groups, warmup_then_linear
from training.run_folder import RunFolder
from training.settings import LoopSettings

Loss = Callable[[nn.Module, list[int]], Tensor]
Evaluate = Callable[[nn.Module], dict[str, float]]


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

    The run's files stay until `run_folder.clean()`, which is for whoever has saved the model.

    Args:
        model: what is trained.
        loss: (model, row indices) to a scalar tensor; called under autocast.
        batches: which rows, in which order.
        settings: how.
        folder: of the run: checkpoint, best weights, curves, TensorBoard events.
        evaluate: model to {"score": …, …}, higher is better; without it the last weights are kept.
        identity: of the data and the starting weights; a checkpoint of another is refused.
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
        identity: str = "",
        show_progress: bool = True,
    ):
        self.model, self.loss, self.batches = model.to(settings.device), loss, batches
        self.settings, self.folder, self.evaluate = settings, folder, evaluate
        self.run_folder = RunFolder(folder)
        self.identity = identity
        self.show_progress = show_progress
        self.total_steps = settings.epochs * len(batches)
        self.optimizer = torch.optim.AdamW(
            parameter_groups(
                model, settings.learning_rate, settings.weight_decay, settings.layer_decay
            ),
            fused=True,
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer,
            lambda step: warmup_then_linear(step, self.total_steps, settings.warmup_ratio),
        )
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
        text = json.dumps(asdict(self.history), indent=1)
        with staged_file(self.folder / "history.json") as neighbour:
            neighbour.write_text(text, encoding="utf-8")
        return self.history

    def _train_step(self) -> float:
        self.model.train()
        epoch, place = divmod(self.step, len(self.batches))
        rows = self._epoch_batches(epoch)[place]
        with self.settings.autocast(), _attention(self.settings.device):
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
        with self.average.applied(), torch.inference_mode(), self.settings.autocast():
            row = {"step": self.step, **self.evaluate(self.model)}
            self.history.evaluations.append(row)
            if self.history.best is row:
                self.run_folder.write_best(self.model.state_dict())
        for name, value in row.items():
            if name != "step":
                events.add_scalar(f"dev/{name}", value, self.step)
        shown = "  ".join(f"{name} {value:.4f}" for name, value in row.items() if name != "step")
        if self.show_progress:
            bar.write(f"step {self.step}/{self.total_steps}  dev {shown}", file=sys.stderr)
        draw_curves(self.history.steps, self.history.evaluations, self.folder / "curves.png")
        self._checkpoint()

    def _out_of_patience(self) -> bool:
        rows = self.history.evaluations
        return (
            bool(rows) and len(rows) - 1 - rows.index(self.history.best) >= self.settings.patience
        )

    def _keep_best(self) -> None:
        if self.history.evaluations:
            self.model.load_state_dict(self.run_folder.read_best())
        else:
            self.average.keep()
        self.model.eval()

    # --- interruption

    def _checkpoint(self) -> None:
        state = {
            "run": self._description(),
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "average": self.average.state,
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all(),
            "history": json.dumps(asdict(self.history)),
        }
        self.run_folder.write_checkpoint(state)

    def _resume(self) -> None:
        state = self.run_folder.read_checkpoint()
        if state is None:
            return
        if state.get("run") != self._description():
            raise UsageError(
                f"{self.run_folder.checkpoint} is of a run with other data or settings; pass the "
                "same ones to go on with it, or remove it to start afresh"
            )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.average.state = state["average"]
        self.step = state["step"]
        self.history = History(**json.loads(state["history"]))
        if self.history.evaluations:
            self.run_folder.read_best()  # damaged, it is better known now than after the last step
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["random_cuda"])

    def _description(self) -> dict[str, Any]:
        return {"identity": self.identity, **asdict(self.settings)}


def _attention(device: torch.device) -> AbstractContextManager[None]:
    """The kernel of attention that is fastest for rows as short as titles.

    On a processor that is the plain one: of a step of a student in bf16 (64 titles of 17 tokens,
    two cores), the backward pass of the fused one takes 39 %; without it a step is 1.7 times as
    fast.
    """
    return sdpa_kernel(SDPBackend.MATH) if device.type == "cpu" else nullcontext()
