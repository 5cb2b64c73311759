import errno
import fcntl
from pathlib import Path

import pytest

from models.workspace import open_workspace, recover


def left_behind(target: Path) -> Path:
    """The workspace of a run that died between moving the old aside and bringing in the new."""
    workspace = target.with_name(f".{target.name}.0badcafe.writing")
    for name in ("old", "new"):
        (workspace / name).mkdir(parents=True)
        (workspace / name / name).touch()
    (workspace / "lock").touch()
    return workspace


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_that_died_halfway_is_undone(tmp_path: Path):
    left_behind(tmp_path / "model")

    recover(tmp_path / "model")

    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == ["old"]


def test_what_carries_the_name_is_left_as_it_is(tmp_path: Path):
    left_behind(tmp_path / "model")
    (tmp_path / "model").mkdir()

    recover(tmp_path / "model")

    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == []


def test_an_old_one_that_is_being_removed_does_not_come_back(tmp_path: Path):
    workspace = left_behind(tmp_path / "model")
    (workspace / "new").rename(tmp_path / "model")
    recover(tmp_path / "gone")
    (tmp_path / "model").rename(tmp_path / "elsewhere")

    recover(tmp_path / "model")

    assert names(tmp_path) == ["elsewhere"]


def test_the_workspace_of_a_live_run_and_of_another_name_stay(tmp_path: Path):
    other = left_behind(tmp_path / "model.int8")
    with open_workspace(tmp_path / "model") as live:
        (live / "new").touch()

        recover(tmp_path / "model")

        assert names(live) == ["lock", "new"]
    assert not live.exists()
    assert names(other) == ["lock", "new", "old"]


def test_without_locks_a_run_writes_and_leaves_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    other = left_behind(tmp_path / "model")
    monkeypatch.setattr(fcntl, "flock", fail)

    with open_workspace(tmp_path / "model") as workspace:
        assert workspace.is_dir()

    assert not workspace.exists()
    assert other.exists()
