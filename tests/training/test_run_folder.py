from pathlib import Path

import pytest
import torch

from models.errors import FileError
from training.run_folder import RunFolder

STATE = {"step": 3, "weights": torch.arange(10_000.0)}


def test_a_run_that_has_not_begun_has_no_checkpoint(tmp_path: Path):
    assert RunFolder(tmp_path / "none.run").read_checkpoint() is None


def test_what_was_written_is_read_and_clean_removes_it(tmp_path: Path):
    run = RunFolder(tmp_path)
    (tmp_path / "history.json").touch()
    run.write_checkpoint(STATE)
    run.write_best({"weights": torch.ones(2)})

    found = run.read_checkpoint()
    assert found is not None
    assert found["step"] == 3
    assert torch.equal(found["weights"], STATE["weights"])
    assert run.read_best()["weights"].tolist() == [1, 1]

    run.clean()
    assert [path.name for path in tmp_path.iterdir()] == ["history.json"]


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "flipped bit", "another archive"])
def test_a_damaged_checkpoint_names_itself_and_the_remedy(tmp_path: Path, damage: str):
    run = RunFolder(tmp_path / "model.run")
    run.path.mkdir()
    run.write_checkpoint(STATE)
    _damage(run.checkpoint, damage)

    with pytest.raises(FileError) as caught:
        run.read_checkpoint()

    assert str(caught.value).startswith(f"{run.checkpoint} cannot be read (")
    assert str(caught.value).endswith(
        f"so this run cannot go on; restore it, or remove the folder {run.path} to start afresh"
    )
    assert caught.value.exit_code == 8


def _damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "flipped bit":
        content[len(content) // 2] ^= 1
    path.write_bytes(
        {
            "empty": b"",
            "cut": content[: len(content) // 2],
            "garbage": b"not a checkpoint\n" * 100,
            "flipped bit": content,
            "another archive": b"PK\5\6" + bytes(18),
        }[how]
    )


def test_best_weights_that_are_gone_are_said(tmp_path: Path):
    with pytest.raises(FileError, match=r"best\.pt cannot be read \(FileNotFoundError"):
        RunFolder(tmp_path).read_best()
