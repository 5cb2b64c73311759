import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.errors import FileError, UsageError
from training.batches import LengthBucketedBatches
from training.loop import TrainingLoop
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

    def loop(self, folder: Path, settings: LoopSettings = SETTINGS, **more: str) -> TrainingLoop:
        batches = LengthBucketedBatches([1] * 64, settings.batch_size, settings.seed)
        return TrainingLoop(
            self.model, self.loss, batches, settings, folder, self.evaluate,
            show_progress=False, **more,
        )  # fmt: skip


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
    frozen = replace(SETTINGS, epochs=50, learning_rate=0.0, patience=2)

    history = task.loop(tmp_path, frozen).run()

    assert [row["step"] for row in history.evaluations] == [8, 16, 24]


def test_curves_events_and_history_are_left_and_clean_removes_the_rest(tmp_path: Path):
    loop = Regression().loop(tmp_path)
    history = loop.run()
    loop.run_folder.clean()

    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert any((tmp_path / "events").iterdir())
    saved = json.loads((tmp_path / "history.json").read_text())
    assert saved["evaluations"] == history.evaluations
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curves.png", "events", "history.json"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("epochs", 0, "must be at least 1"),
        ("warmup_ratio", 1.0, r"must be in \[0, 1\)"),
        ("precision", "fp16", "precision must be auto, bf16 or fp32, not 'fp16'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(field: str, value: object, message: str):
    with pytest.raises(UsageError, match=message):
        replace(SETTINGS, **{field: value})


@pytest.mark.skipif(torch.cuda.is_available(), reason="the plain kernel is for processors")
def test_on_a_processor_attention_takes_the_plain_kernel_and_what_follows_its_own(tmp_path: Path):
    kernels = []

    def loss(model: nn.Module, rows: list[int]) -> Tensor:
        query = points.inputs[rows].view(1, -1, 1, 5).requires_grad_()  # without dropout: fused
        kernels.append(F.scaled_dot_product_attention(query, query, query).grad_fn.name())
        return points.loss(model, rows)

    points = Regression()
    batches = LengthBucketedBatches([1] * 64, 8, 13)
    TrainingLoop(points.model, loss, batches, replace(SETTINGS, epochs=1), tmp_path).run()
    assert not [name for name in kernels if "Flash" in name]
    query = torch.ones(1, 4, 8, 5, requires_grad=True)
    assert "Flash" in F.scaled_dot_product_attention(query, query, query).grad_fn.name()
