from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from training.batches import LengthBucketedBatches
from training.history import History
from training.loop import TrainingLoop
from training.observer import Observer
from training.settings import LoopSettings

SETTINGS = LoopSettings(epochs=2, batch_size=1, precision="fp32", checkpoint_seconds=0.0)


class Diary(Observer):
    """Writes down all that it is told."""

    def __init__(self) -> None:
        self.told: list[tuple] = []

    def run_started(self, step: int, total_steps: int) -> None:
        self.told.append(("started", step, total_steps))

    def step_done(self, step: int) -> None:
        self.told.append(("step", step))

    def step_measured(self, row: dict[str, float]) -> None:
        self.told.append(("measured", row["step"], row["loss"]))

    def evaluated(self, history: History) -> None:
        self.told.append(("evaluated", history.evaluations[-1]["score"]))

    def run_ended(self) -> None:
        self.told.append(("ended",))


def run(folder: Path, *observers: Observer, fail_at: int = 99, rows: int = 3) -> None:
    steps = iter(range(1, 99))

    def loss(model: nn.Module, rows: list[int]) -> Tensor:
        if next(steps) == fail_at:
            raise KeyboardInterrupt
        return model(torch.ones(1)) * 0 + 7

    TrainingLoop(
        nn.Linear(1, 1), loss, LengthBucketedBatches([1] * rows, 1, 0), SETTINGS, folder,
        lambda model: {"score": 0.5}, observers=observers,
    ).run()  # fmt: skip


def test_a_run_is_told_from_its_start_to_its_end(tmp_path: Path):
    diary = Diary()

    run(tmp_path, diary)

    steps = [("step", i) for i in range(1, 7)]
    assert diary.told == [
        ("started", 0, 6),
        *steps[:3], ("evaluated", 0.5),
        *steps[3:], ("evaluated", 0.5),
        ("ended",),
    ]  # fmt: skip


def test_every_twentieth_step_is_measured(tmp_path: Path):
    diary = Diary()

    run(tmp_path, diary, rows=21)

    assert [row for row in diary.told if row[0] == "measured"] == [
        ("measured", 20, 7.0),
        ("measured", 40, 7.0),
    ]


def test_an_interrupted_run_ends_too_and_a_resumed_one_tells_where_it_starts(tmp_path: Path):
    killed, resumed = Diary(), Diary()

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, killed, fail_at=3)
    run(tmp_path, resumed)

    assert killed.told[-2:] == [("step", 2), ("ended",)]
    assert resumed.told[:2] == [("started", 2, 6), ("step", 3)]


def test_an_observer_that_cannot_start_ends_the_run_for_those_before_it(tmp_path: Path):
    class Broken(Observer):
        def run_started(self, step: int, total_steps: int) -> None:
            raise OSError("no space left")

    diary = Diary()
    with pytest.raises(OSError, match="no space left"):
        run(tmp_path, diary, Broken())

    assert diary.told == [("started", 0, 6), ("ended",)]
