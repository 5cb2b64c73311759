"""Whole or absent, whatever happens: `interruptions` ends the swap at each of its lines."""

import errno
import fcntl
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from models import staging, workspace
from models.errors import FileError
from models.staging import AMONG, staged_file, staged_files, staged_folder, try_out

from .interruptions import at_point, killed_at, points

ERRORS = [lambda: OSError(errno.EIO, "Input/output error"), KeyboardInterrupt]


def write_folder(folder: Path, text: str) -> None:
    with staged_folder(folder) as new:
        (new / "weights").write_text(text)
        (new / "tokenizer").mkdir()
        (new / "tokenizer" / "vocabulary").write_text(text)


def write_file(path: Path, text: str) -> None:
    with staged_file(path) as new:
        new.write_text(text)


def content(path: Path) -> dict[str, str]:
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return {p.relative_to(path).as_posix(): p.read_text() for p in files}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def whole(write: Callable[[Path, str], None], text: str) -> dict[str, str]:
    if write is write_file:
        return {".": text}
    return {"weights": text, "tokenizer/vocabulary": text}


@pytest.fixture(params=[write_file, write_folder])
def write(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    return request.param


@pytest.fixture
def disk_is_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about a loss of power, and a real fsync takes milliseconds."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def test_what_is_new_appears_whole_when_the_block_ends(write: Callable, tmp_path: Path):
    target = tmp_path / "not" / "yet" / "model"

    write(target, "new")

    assert content(target) == whole(write, "new")
    assert names(target.parent) == ["model"]


def test_what_is_new_replaces_the_old_as_a_whole(write: Callable, tmp_path: Path):
    target = tmp_path / "model"
    write(target, "old")
    if target.is_dir():
        (target / "stale").touch()

    write(target, "new")

    assert content(target) == whole(write, "new")
    assert names(tmp_path) == ["model"]


def test_nothing_carries_the_name_before_the_block_ends(tmp_path: Path):
    with staged_file(tmp_path / "a") as file, staged_folder(tmp_path / "b") as folder:
        file.write_text("half")
        (folder / "half").touch()
        assert not (tmp_path / "a").exists()
        assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("stage", [staged_file, staged_folder])
def test_a_failed_block_leaves_the_old(stage: Any, tmp_path: Path):
    write = write_file if stage is staged_file else write_folder
    write(tmp_path / "model", "old")

    def fail_halfway() -> None:
        with stage(tmp_path / "model") as new:
            (new / "half" if new.is_dir() else new).write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert content(tmp_path / "model") == whole(write, "old")
    assert names(tmp_path) == ["model"]


@pytest.mark.usefixtures("disk_is_fast")
@pytest.mark.parametrize("error", ERRORS, ids=["error", "interrupt"])
@pytest.mark.parametrize("stood", [True, False], ids=["over an old one", "anew"])
def test_an_end_at_any_line_leaves_old_or_new_and_the_next_run_clears_up(
    write: Callable, stood: bool, error: Callable[[], BaseException], tmp_path: Path
):
    write(tmp_path / "count" / "model", "old")
    modules = (staging, workspace)

    def end() -> None:
        raise error()

    for point in range(1, points(lambda: write(tmp_path / "count" / "model", "new"), *modules) + 1):
        target = tmp_path / str(point) / "model"
        if stood:
            write(target, "old")
        try:
            with at_point(point, end, *modules):
                write(target, "new")
        except (OSError, FileError, KeyboardInterrupt):
            assert target.exists() or not stood, f"point {point}"
        if target.exists():
            assert content(target) in (whole(write, "old"), whole(write, "new")), f"point {point}"
        write(target, "new")
        assert content(target) == whole(write, "new")
        assert names(target.parent) == ["model"], f"point {point}"


@pytest.mark.usefixtures("disk_is_fast")
def test_a_run_killed_at_any_line_leaves_old_or_new_and_the_next_run_clears_up(
    write: Callable, tmp_path: Path
):
    write(tmp_path / "count" / "model", "old")
    modules, found = (staging, workspace), []
    for point in range(1, points(lambda: write(tmp_path / "count" / "model", "new"), *modules) + 1):
        target = tmp_path / str(point) / "model"
        write(target, "old")
        assert killed_at(point, lambda to=target: write(to, "new"), *modules)  # type: ignore[misc]

        try_out(target)  # as the next run begins

        assert names(target.parent) == ["model"], f"point {point}"
        found.append(content(target))
        write(target, "new")
        assert content(target) == whole(write, "new")
        assert names(target.parent) == ["model"], f"point {point}"
    first_new = found.index(whole(write, "new"))
    assert found[:first_new] == [whole(write, "old")] * first_new
    assert found[first_new:] == [whole(write, "new")] * (len(found) - first_new)


CALLS = [
    *[(os, name) for name in ("rename", "replace", "mkdir", "open", "close", "unlink", "rmdir")],
    *[(os, "fsync"), (shutil, "rmtree"), (fcntl, "flock")],
]


@pytest.mark.usefixtures("disk_is_fast")
@pytest.mark.parametrize("error", ERRORS, ids=["error", "interrupt"])
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("module", "name"), CALLS, ids=[name for _, name in CALLS])
def test_an_end_at_any_call_of_the_system_leaves_old_or_new(
    module: Any,
    name: str,
    late: bool,
    error: Callable[[], BaseException],
    write: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    called = getattr(module, name)
    for number in range(20):
        target, calls = tmp_path / str(number) / "model", 0
        write(target, "old")

        def fail(*args: Any, at: int = number, **more: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at + 1 and not late:
                raise error()
            result = called(*args, **more)
            if calls == at + 1:
                raise error()
            return result

        with monkeypatch.context() as broken:
            broken.setattr(module, name, fail)
            with suppress(OSError, FileError, KeyboardInterrupt):
                write(target, "new")
        assert content(target) in (whole(write, "old"), whole(write, "new"))
        write(target, "new")
        assert content(target) == whole(write, "new")
        assert names(target.parent) == ["model"]
        if calls <= number:
            return
    raise AssertionError("more calls than were tried")


def test_what_is_new_is_on_the_disk_before_it_takes_the_name(
    write: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path / "model", "old")
    done: list[str] = []

    def spy(name: str, path_of: Callable[[Any], Path]) -> None:
        called = getattr(os, name)

        def call(*args: Any) -> Any:
            done.append(f"{name} {path_of(args[0]).name}")
            return called(*args)

        monkeypatch.setattr(os, name, call)

    spy("fsync", lambda descriptor: Path(f"/proc/self/fd/{descriptor}").resolve())
    spy("rename", Path)
    spy("replace", Path)
    write(tmp_path / "model", "new")

    root = f"fsync {tmp_path.name}"
    if write is write_file:
        assert done == ["fsync new", "replace new", root]
    else:
        assert set(done[:3]) == {"fsync vocabulary", "fsync tokenizer", "fsync weights"}
        assert done.index("fsync vocabulary") < done.index("fsync tokenizer")
        assert done[3:] == ["fsync new", root, "rename model", "rename new", root]


def test_a_link_is_followed(write: Callable, tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "far" / "model")

    write(tmp_path / "link", "new")

    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "far" / "model") == whole(write, "new")


def test_runs_that_write_to_one_name_at_once_do_not_meet(write: Callable, tmp_path: Path):
    target, errors = tmp_path / "model", []

    def write_often(text: str) -> None:
        try:
            for _ in range(15):
                write(target, text)
        except Exception as error:
            errors.append(error)

    runs = [threading.Thread(target=write_often, args=[text]) for text in "abcd"]
    for run in runs:
        run.start()
    for run in runs:
        run.join()

    assert not errors
    assert content(target) in [whole(write, text) for text in "abcd"]
    assert names(tmp_path) == ["model"]


def test_a_pipe_or_a_device_is_written_as_it_is():
    with staged_file(Path("/dev/null")) as path:
        path.write_text("gone")

    assert path == Path("/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("stage", [staged_file, staged_folder])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("n" * 300, "cannot be written (File name too long); choose a shorter name"),
        (
            "file/model",
            "cannot be written (File exists: {root}/file); a file stands where a folder is needed; "
            "choose another place",
        ),
    ],
)
def test_what_cannot_be_written_says_why_and_what_to_do(
    stage: Any, place: str, said: str, tmp_path: Path
):
    (tmp_path / "file").touch()

    with pytest.raises(FileError) as caught, stage(tmp_path / place):
        pass

    assert str(caught.value) == f"{tmp_path / place} {said.format(root=tmp_path)}"
    assert names(tmp_path) == ["file"]


def test_a_file_never_becomes_a_folder_nor_a_folder_a_file(tmp_path: Path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()

    with pytest.raises(FileError, match="file is a file, and a folder is to be written"):
        write_folder(tmp_path / "file", "new")
    with pytest.raises(FileError, match="folder is a folder, and a file is to be written"):
        write_file(tmp_path / "folder", "new")

    assert names(tmp_path) == ["file", "folder"]


def test_a_full_disk_is_said_by_writing_and_by_trying_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    path = tmp_path / "model"
    said = r"model cannot be written \(No space left on device\); free some space"

    def fail_in_another_language() -> None:
        with staged_folder(path):
            raise RuntimeError("enforce fail at inline_container.cc:672")

    for attempt in (
        lambda: write_file(path, "new"),
        lambda: try_out(path),
        fail_in_another_language,
    ):
        with pytest.raises(FileError, match=said):
            attempt()
    with pytest.raises(FileError, match=r"/dev/full cannot be written .*; free some space"):
        write_file(Path("/dev/full"), "new")

    assert names(tmp_path) == []


def test_a_full_disk_that_a_library_names_in_its_own_error_is_said(tmp_path: Path):
    said = r"model cannot be written \(No space left on device\); free some space"
    with pytest.raises(FileError, match=said), staged_folder(tmp_path / "model"):
        raise RuntimeError("serializing: I/O error: No space left on device (os error 28)")


def test_a_file_that_is_missing_for_what_is_written_is_named(tmp_path: Path):
    with pytest.raises(FileError) as caught, staged_folder(tmp_path / "model") as new:
        shutil.copy(tmp_path / "tokenizer.json", new)

    assert str(caught.value) == (
        f"{tmp_path / 'model'} cannot be written (No such file or directory: "
        f"{tmp_path / 'tokenizer.json'}); choose another place"
    )


def test_trying_out_changes_nothing(write: Callable, tmp_path: Path):
    write(tmp_path / "model", "old")

    try_out(tmp_path / "model")
    try_out(tmp_path / "other")

    assert content(tmp_path / "model") == whole(write, "old")
    assert names(tmp_path) == ["model"]


def write_files(folder: Path, text: str) -> None:
    with staged_files(folder) as new:
        for name in ("page", "table", "picture"):
            (new / name).write_text(text)


def among_others(folder: Path) -> Path:
    """A folder with files of an earlier run, and one of a person's."""
    write_files(folder, "old")
    (folder / "notes").write_text("mine")
    return folder


def all_of(text: str) -> dict[str, str]:
    return {"notes": "mine", "page": text, "picture": text, "table": text}


def test_files_take_their_places_among_others(tmp_path: Path):
    folder = among_others(tmp_path / "not" / "yet" / "report")
    assert content(folder) == all_of("old")

    write_files(folder, "new")

    assert content(folder) == all_of("new")
    assert names(tmp_path / "not" / "yet") == ["report"]


@pytest.mark.usefixtures("disk_is_fast")
@pytest.mark.parametrize("error", ERRORS, ids=["error", "interrupt"])
def test_an_end_at_any_line_leaves_old_files_or_new_but_no_mixture(
    error: Callable[[], BaseException], tmp_path: Path
):
    modules, found = (staging, workspace), []

    def end() -> None:
        raise error()

    counted = among_others(tmp_path / "count")
    for point in range(1, points(lambda: write_files(counted, "new"), *modules) + 1):
        folder = among_others(tmp_path / str(point))
        with suppress(OSError, FileError, KeyboardInterrupt), at_point(point, end, *modules):
            write_files(folder, "new")
        try_out(folder / AMONG)
        found.append(content(folder))
    assert all_of("old") in found
    assert all_of("new") in found
    assert [each for each in found if each not in (all_of("old"), all_of("new"))] == []


@pytest.mark.usefixtures("disk_is_fast")
def test_of_files_that_were_moving_when_a_run_was_killed_the_next_moves_the_rest(tmp_path: Path):
    modules, found = (staging, workspace), []
    counted = among_others(tmp_path / "count")
    for point in range(1, points(lambda: write_files(counted, "new"), *modules) + 1):
        folder = among_others(tmp_path / str(point))
        assert killed_at(point, lambda to=folder: write_files(to, "new"), *modules)  # type: ignore[misc]
        try_out(folder / AMONG)  # as the next run begins
        found.append(content(folder))
    first_new = found.index(all_of("new"))
    assert found[:first_new] == [all_of("old")] * first_new
    assert found[first_new:] == [all_of("new")] * (len(found) - first_new)
