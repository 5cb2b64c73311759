from pathlib import Path

import pytest

from models.staging import staged_file, staged_folder


def test_a_file_appears_whole_when_the_block_ends(tmp_path: Path):
    path = tmp_path / "new" / "result.txt"

    with staged_file(path) as neighbour:
        neighbour.write_text("whole")
        assert not path.exists()

    assert path.read_text() == "whole"
    assert [p.name for p in path.parent.iterdir()] == ["result.txt"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "result.txt"
    path.write_text("old")

    def fail_halfway() -> None:
        with staged_file(path) as neighbour:
            neighbour.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["result.txt"]


def test_a_folder_replaces_the_old_one_as_a_whole(tmp_path: Path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "stale").touch()

    with staged_folder(folder) as neighbour:
        (neighbour / "fresh").touch()

    assert [p.name for p in folder.iterdir()] == ["fresh"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_failed_folder_leaves_the_old_one(tmp_path: Path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").touch()

    def fail_halfway() -> None:
        with staged_folder(folder) as neighbour:
            (neighbour / "half").touch()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert [p.name for p in folder.iterdir()] == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
