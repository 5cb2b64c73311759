import json
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from models.errors import FileError, UsageError
from training.batches import LengthBucketedBatches
from training.loop import TrainingLoop
from training.optimization import warmup_then_linear
from training.settings import LoopSettings

SETTINGS = LoopSettings(
    epochs=4, batch_size=8, learning_rate=0.05, precision="fp32", average_decay=0.9, patience=9
)


class Interrupted(Exception):
    pass


class Regression:
    """A model with dropout on 64 random points, so that the random state matters, too."""

    def __init__(self, interrupt_at: int | None = None):
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))
        self.inputs = torch.randn(64, 5)
        self.targets = self.inputs.sum(dim=1, keepdim=True)
        self.calls = 0
        self.interrupt_at = interrupt_at

    def loss(self, model: nn.Module, rows: list[int]) -> Tensor:
        self.calls += 1
        if self.calls == self.interrupt_at:
            raise Interrupted
        return ((model(self.inputs[rows]) - self.targets[rows]) ** 2).mean()

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        return {"score": -float(((model(self.inputs) - self.targets) ** 2).mean())}

    def loop(self, folder: Path, settings: LoopSettings = SETTINGS, **more: Any) -> TrainingLoop:
        batches = LengthBucketedBatches([1] * 64, settings.batch_size, settings.seed)
        options = {"evaluate": self.evaluate} | more
        return TrainingLoop(self.model, self.loss, batches, settings, folder, **options)


def weights(model: nn.Module) -> list[float]:
    return torch.cat([p.detach().flatten() for p in model.parameters()]).tolist()


@pytest.mark.parametrize("interrupt_at", [3, 9, 20, 31])
def test_a_killed_run_goes_on_and_ends_as_an_unbroken_one(tmp_path: Path, interrupt_at: int):
    every_step = replace(SETTINGS, checkpoint_seconds=0.0)
    unbroken = Regression()
    expected = unbroken.loop(tmp_path / "unbroken", every_step).run()

    killed = Regression(interrupt_at)
    with pytest.raises(Interrupted):
        killed.loop(tmp_path / "killed", every_step).run()
    resumed = Regression()
    history = resumed.loop(tmp_path / "killed", every_step).run()

    assert weights(resumed.model) == weights(unbroken.model)
    assert history.evaluations == expected.evaluations
    assert resumed.calls == 32 - interrupt_at + 1


def test_a_finished_run_is_not_trained_again(tmp_path: Path):
    Regression().loop(tmp_path).run()
    again = Regression()

    again.loop(tmp_path).run()

    assert again.calls == 0


def test_a_finished_run_gives_its_best_weights_again_until_it_is_cleaned(tmp_path: Path):
    first, again, afresh = Regression(), Regression(), Regression()
    first.loop(tmp_path).run()

    again.loop(tmp_path).run()
    loop = again.loop(tmp_path)
    loop.run_folder.clean()
    afresh.loop(tmp_path).run()

    assert weights(again.model) == weights(first.model)
    assert (again.calls, afresh.calls) == (0, first.calls)


@pytest.mark.parametrize("name", ["checkpoint.pt", "best.pt"])
def test_a_damaged_file_of_a_run_is_named_before_a_step_is_trained(tmp_path: Path, name: str):
    every_step = replace(SETTINGS, checkpoint_seconds=0.0)
    with pytest.raises(Interrupted):
        Regression(interrupt_at=20).loop(tmp_path, every_step).run()
    (tmp_path / name).write_bytes(b"")
    again = Regression()

    with pytest.raises(FileError) as caught:
        again.loop(tmp_path, every_step).run()

    assert str(caught.value).startswith(f"{tmp_path / name} cannot be read (BadZipFile(")
    assert str(caught.value).endswith(f"remove the folder {tmp_path} to start afresh")
    assert again.calls == 0


def test_a_checkpoint_of_other_settings_or_data_is_refused(tmp_path: Path):
    Regression().loop(tmp_path, identity="one").run()

    with pytest.raises(UsageError, match=r"checkpoint\.pt is of a run with other data or settings"):
        Regression().loop(tmp_path, replace(SETTINGS, learning_rate=0.01), identity="one").run()
    with pytest.raises(UsageError, match="pass the same ones to go on with it"):
        Regression().loop(tmp_path, identity="two").run()


def test_the_weights_with_the_best_score_are_kept(tmp_path: Path):
    task = Regression()
    history = task.loop(tmp_path, replace(SETTINGS, evaluations_per_epoch=4)).run()

    assert len(history.evaluations) == 16
    task.model.eval()
    with torch.inference_mode():
        assert task.evaluate(task.model)["score"] == pytest.approx(history.best["score"])
    assert history.best["score"] > history.evaluations[0]["score"]


def test_patience_ends_a_run_that_no_longer_improves(tmp_path: Path):
    task = Regression()
    frozen = replace(SETTINGS, epochs=50, learning_rate=1e-30, patience=2)

    history = task.loop(tmp_path, frozen).run()

    assert [row["step"] for row in history.evaluations] == [8, 16, 24]


def test_the_history_is_left_and_clean_removes_the_rest(tmp_path: Path):
    loop = Regression().loop(tmp_path)
    history = loop.run()
    loop.run_folder.clean()

    saved = json.loads((tmp_path / "history.json").read_text())
    assert saved == asdict(history)
    assert [path.name for path in tmp_path.iterdir()] == ["history.json"]


def test_a_run_is_adamw_with_clipping_on_shuffled_batches(tmp_path: Path):
    settings = replace(SETTINGS, average_decay=0.0, max_grad_norm=3.0, epochs=2)
    task, expected = Regression(), Regression()
    task.model[1].p = expected.model[1].p = 0.0
    task.loop(tmp_path, settings, evaluate=None).run()

    torch.manual_seed(settings.seed)
    weights_, biases = [[p for p in expected.model.parameters() if p.ndim == n] for n in (2, 1)]
    groups = [{"params": weights_, "weight_decay": 0.01}, {"params": biases, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.05)
    batches = LengthBucketedBatches([1] * 64, 8, settings.seed)
    norms = []
    for step, rows in enumerate(batches.epoch(0) + batches.epoch(1)):
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * warmup_then_linear(step, 16, settings.warmup_ratio)
        expected.loss(expected.model, rows).backward()
        norms.append(float(nn.utils.clip_grad_norm_(expected.model.parameters(), 3.0)))
        optimizer.step()
        optimizer.zero_grad()

    assert min(norms) < 3.0 < max(norms)  # some are clipped, some are not
    assert weights(task.model) == pytest.approx(weights(expected.model), rel=1e-4, abs=1e-6)


def test_the_last_step_is_evaluated_where_the_interval_does_not_divide_the_steps(tmp_path: Path):
    task = Regression()
    settings = replace(SETTINGS, epochs=2, evaluations_per_epoch=3, batch_size=10)  # 7 an epoch

    history = task.loop(tmp_path, settings).run()

    assert [row["step"] for row in history.evaluations] == [2, 4, 6, 8, 10, 12, 14]
    assert [row["step"] for row in task.loop(tmp_path / "two", replace(
        settings, evaluations_per_epoch=2)).run().evaluations] == [3, 6, 9, 12, 14]  # fmt: skip


def test_the_seconds_of_all_sessions_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    every_step = replace(SETTINGS, checkpoint_seconds=0.0)
    for interrupt_at in (20, None):
        task = Regression(interrupt_at)
        monkeypatch.setattr("training.loop.time.monotonic", lambda task=task: 10.0 * task.calls)
        with nullcontext() if interrupt_at is None else pytest.raises(Interrupted):
            history = task.loop(tmp_path, every_step).run()

    assert history.seconds == 320.0  # 19 steps of 10 s and 13, and not the 10 s that were lost


def test_the_best_is_chosen_by_score_and_not_by_another_value(tmp_path: Path):
    task = Regression()
    rows = iter([(0.5, 0.1), (0.9, 0.2), (0.1, 0.9), (0.2, 0.8)])
    kept = []

    def evaluate(model: nn.Module) -> dict[str, float]:
        kept.append(weights(model))
        return dict(zip(("score", "accuracy"), next(rows), strict=True))

    history = task.loop(tmp_path, evaluate=evaluate).run()

    assert history.best == {"step": 16, "score": 0.9, "accuracy": 0.2}
    assert weights(task.model) == kept[1]


def test_what_is_evaluated_and_kept_is_the_average(tmp_path: Path):
    frozen = replace(SETTINGS, average_decay=0.5, epochs=1)
    seen = []
    task = Regression()
    task.loop(tmp_path, frozen, evaluate=lambda model: seen.append(model) or {"score": 0.0}).run()

    (model,) = seen
    assert model is not task.model
    assert not model.training
    assert weights(task.model) == weights(model)


def test_without_an_evaluation_the_average_is_kept(tmp_path: Path):
    task, last = Regression(), Regression()
    loop = task.loop(tmp_path / "average", evaluate=None)
    loop.run()
    last.loop(tmp_path / "last", replace(SETTINGS, average_decay=0.0), evaluate=None).run()

    assert weights(task.model) == weights(loop.average.model)
    assert weights(task.model) != weights(last.model)
