"""The training loop: AdamW, warm-up then linear decay, clipping, averaging, checkpoints.

What is trained is the caller's: a model, batches of row indices, and a loss over such a batch.
A run lives in a folder and can be killed at any moment; the same call then goes on from the last
checkpoint and ends with the same weights as an unbroken run. Who wants to see its course is an
`Observer`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from models.errors import UsageError
from models.staging import staged_file
from training.averaging import WeightAverage
from training.batches import LengthBucketedBatches
from training.compute import autocast, device, training_step
from training.history import History
from training.observer import Observer
from training.optimizer import ClippedAdamW
from training.run_folder import RunFolder
from training.settings import LoopSettings

Model = TypeVar("Model", bound=nn.Module)
Loss = Callable[[Model, list[int]], Tensor]
Evaluate = Callable[[Model], dict[str, float]]

_STEPS_PER_MEASUREMENT = 20
_STEPS_PER_AVERAGE = 10
"""The average of a decay near 1 is the same then, to what its noise is, for a tenth of the work."""


class TrainingLoop(Generic[Model]):
    """Trains `model` in place and leaves it with its best weights.

    The run's files stay until `run_folder.clean()`, which is for whoever has saved the model.

    Args:
        model: what is trained.
        loss: (model, row indices) to a scalar tensor; called under autocast.
        batches: which rows, in which order.
        settings: how.
        folder: of the run: checkpoint, best weights and history.
        evaluate: model to {"score": …, …}, higher is better; without it the last weights are kept.
            It is given `model`, or the average of its weights.
        identity: of the data and the starting weights; a checkpoint of another is refused.
        observers: who is told of the run's course.
    """

    def __init__(
        self,
        model: Model,
        loss: Loss[Model],
        batches: LengthBucketedBatches,
        settings: LoopSettings,
        folder: Path,
        evaluate: Evaluate[Model] | None = None,
        identity: str = "",
        observers: Sequence[Observer] = (),
    ):
        self.model, self.loss, self.batches = model.to(device()), loss, batches
        self.settings, self.evaluate, self.observers = settings, evaluate, observers
        self.run_folder, self.identity = RunFolder(folder), identity
        self.total_steps = settings.epochs * len(batches)
        self.optimizer = ClippedAdamW(model, settings, self.total_steps)
        decay = settings.average_decay
        self.average = WeightAverage(model, decay) if decay else None
        self.history = History()
        self.step = 0
        folder.mkdir(parents=True, exist_ok=True)

    def run(self) -> History:
        """Train to the end, or to the end of patience."""
        torch.manual_seed(self.settings.seed)
        self._resume()
        started, checkpointed = time.monotonic() - self.history.seconds, time.monotonic()
        with self._observed():
            while self.step < self.total_steps and not self._out_of_patience():
                loss = self._train_step()
                self.history.seconds = time.monotonic() - started
                self._tell_step(loss)
                if self._evaluation_is_due():
                    self._evaluate()
                    self._checkpoint()
                if time.monotonic() - checkpointed > self.settings.checkpoint_seconds:
                    self._checkpoint()
                    checkpointed = time.monotonic()
        self._checkpoint()
        self._keep_best()
        text = json.dumps(asdict(self.history), indent=1)
        with staged_file(self.run_folder.path / "history.json") as neighbour:
            neighbour.write_text(text, encoding="utf-8")
        return self.history

    def _train_step(self) -> float:
        self.model.train()
        epoch, place = divmod(self.step, len(self.batches))
        rows = self._epoch_batches(epoch)[place]
        with training_step(self.settings.precision):
            loss = self.loss(self.model, rows)
        torch.autograd.backward(loss)
        self.optimizer.step()
        self.step += 1
        if self.average is not None and self.step % _STEPS_PER_AVERAGE == 0:
            self.average.update(self.model, self.step)
        return loss.item()

    def _epoch_batches(self, number: int) -> list[list[int]]:
        if getattr(self, "_cached_epoch", None) != number:
            self._cached_epoch, self._cached_batches = number, self.batches.epoch(number)
        return self._cached_batches

    # --- what is told of a run

    @contextmanager
    def _observed(self) -> Iterator[None]:
        with ExitStack() as stack:
            for observer in self.observers:
                observer.run_started(self.step, self.total_steps)
                stack.callback(observer.run_ended)
            yield

    def _tell_step(self, loss: float) -> None:
        row: dict[str, float] | None = None
        if self.step % _STEPS_PER_MEASUREMENT == 0:
            titles_per_s = self.step * self.settings.batch_size / self.history.seconds
            row = {
                "step": self.step,
                "loss": loss,
                "learning_rate": self.optimizer.rate,
                "titles_per_s": titles_per_s,
            }
            self.history.steps.append(row)
        for observer in self.observers:
            observer.step_done(self.step)
            if row is not None:
                observer.step_measured(row)

    # --- evaluation

    def _evaluation_is_due(self) -> bool:
        if self.evaluate is None:
            return False
        interval = max(1, len(self.batches) // self.settings.evaluations_per_epoch)
        return self.step % interval == 0 or self.step == self.total_steps

    def _evaluate(self) -> None:
        assert self.evaluate is not None
        model = self._evaluated_model()
        with torch.inference_mode(), autocast(self.settings.precision):
            row = {"step": self.step, **self.evaluate(model)}
        self.history.evaluations.append(row)
        if self.history.best is row:
            self.run_folder.write_best(model.state_dict())
        for observer in self.observers:
            observer.evaluated(self.history)

    def _evaluated_model(self) -> Model:
        """The average where there is one, else the model itself, in evaluation mode."""
        if self.average is None:
            return self.model.eval()
        self.average.update(self.model, self.step)
        return self.average.model.eval()

    def _out_of_patience(self) -> bool:
        return self.history.evaluations_since_best >= self.settings.patience

    def _keep_best(self) -> None:
        """Leave the model with the weights that scored best, or the last where none were scored."""
        if self.history.evaluations:
            self.model.load_state_dict(self.run_folder.read_best())
        else:
            self.model.load_state_dict(self._evaluated_model().state_dict())
        self.model.eval()

    # --- interruption

    def _checkpoint(self) -> None:
        state = {
            "run": self._description(),
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": None if self.average is None else self.average.model.state_dict(),
            "average_step": 0 if self.average is None else self.average.step,
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
        if self.average is not None:
            self.average.model.load_state_dict(state["average"])
            self.average.step = state["average_step"]
        self.step = state["step"]
        self.history = History(**json.loads(state["history"]))
        if self.history.evaluations:
            self.run_folder.read_best()  # damaged, it is better known now than after the last step
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["random_cuda"])

    def _description(self) -> dict[str, Any]:
        return {"identity": self.identity, **asdict(self.settings)}
