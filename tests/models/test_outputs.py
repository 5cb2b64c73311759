import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from models import artifact, outputs
from models.errors import BiaotiError, FileError, UsageError
from models.outputs import MODEL, OutputKind, claim_file, claim_folder, files_in, lacks
from models.student import StudentClassifier

NOTES = OutputKind("notes", lambda path: None if "ours" in path.name else "it is not ours")
REPORT = OutputKind("a report", lambda _: "it has no report.json", in_place=True)


@pytest.fixture
def model(tmp_path: Path, tiny_student: StudentClassifier) -> Path:
    artifact.save(tiny_student, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of titles with its class list, in a folder of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "class.txt").write_text("stocks\n")
    (tmp_path / "data" / "train.txt").write_text("股市\t0\n")
    return tmp_path / "data" / "train.txt"


def tree(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def refusal(claim: Callable[[], None], root: Path, error: type[BiaotiError] = UsageError) -> str:
    """What the claim is refused with; nothing may be touched."""
    before = tree(root)
    with pytest.raises(error) as caught:
        claim()
    assert tree(root) == before
    return str(caught.value)


@pytest.mark.parametrize("force", [False, True])
def test_what_is_absent_empty_or_a_model_may_be_replaced_by_a_model(
    force: bool, model: Path, data: Path, tmp_path: Path
):
    (tmp_path / "empty").mkdir()
    (model / "README.md").write_text("its card")
    (model / ".DS_Store").touch()
    before = tree(tmp_path)

    for output in (tmp_path / "empty", model, data.parent / "model", tmp_path / "absent"):
        claim_folder(output, [data], MODEL, force)

    assert tree(tmp_path) == before


@pytest.mark.parametrize("force", [False, True])
def test_what_is_read_is_never_replaced(force: bool, model: Path, data: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(model)
    (tmp_path / "hard").hardlink_to(data)
    for output, read, said in [
        (model, model, f"{model} is read from"),
        (tmp_path / "link", model, f"{tmp_path / 'link'} is read from"),
        (model, tmp_path / "link", f"{model} is read from"),
        (model / ".." / "model", model, f"{model / '..' / 'model'} is read from"),
        (data.parent, data, f"{data.parent} holds {data}, which is read"),
        (tmp_path, data, f"{tmp_path} holds {data}, which is read"),
        (model / "new", model, f"{model / 'new'} lies in {model}, which is read"),
        (model / "a" / "b", tmp_path / "link", f"{model}/a/b lies in {tmp_path}/link, which is"),
        (data, data, f"{data} is read from"),
    ]:
        claim = lambda o=output, r=read: claim_folder(o, [data, r], MODEL, force)  # noqa: E731
        assert refusal(claim, tmp_path).startswith(said)
    for output in (data, tmp_path / "hard"):
        claim = lambda o=output: claim_file(o, [data, model], NOTES, force)  # noqa: E731
        assert refusal(claim, tmp_path) == f"{output} is read from; choose another output"


@pytest.mark.parametrize("force", [False, True])
def test_the_working_and_the_home_folder_are_never_replaced(
    force: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    work, home = tmp_path / "runs" / "work", tmp_path / "homes" / "me"
    work.mkdir(parents=True)
    home.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(home))

    for output, name in [
        (Path(), "working"), (work, "working"), (Path("../.."), "working"), (home, "home"),
        (home.parent, "home"), (Path("/"), "working"),
    ]:  # fmt: skip
        claim = lambda o=output: claim_folder(o, [], MODEL, force)  # noqa: E731
        assert refusal(claim, tmp_path) == (
            f"{output} is or holds your {name} folder and would be replaced; choose a folder "
            "inside it"
        )
    claim_folder(work / "model", [], MODEL, force)


def test_a_mount_point_is_refused_where_it_would_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os.path, "ismount", lambda path: path == tmp_path / "volume")
    (tmp_path / "volume").mkdir()

    assert refusal(lambda: claim_folder(tmp_path / "volume", [], MODEL), tmp_path) == (
        f"{tmp_path / 'volume'} is a mount point, which cannot be replaced; choose a folder "
        "inside it"
    )
    claim_folder(tmp_path / "volume", [], REPORT)


def test_what_another_verb_or_a_person_wrote_is_replaced_with_force_alone(
    model: Path, tmp_path: Path
):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("one")
    shutil.copytree(model, tmp_path / "damaged")
    (tmp_path / "damaged" / "artifact.json").write_text("{}")
    (model / "notes.txt").write_text("mine")
    end = "; choose another output, or insist with --force"
    for output, kind, said in [
        (tmp_path / "thesis", MODEL, "is not a model: it has no artifact.json" + end),
        (model, MODEL, "is not a model: it also holds notes.txt" + end),
        (tmp_path / "thesis", REPORT, "is not a report: it has no report.json" + end),
    ]:
        claim = lambda o=output, k=kind: claim_folder(o, [], k)  # noqa: E731
        assert refusal(claim, tmp_path) == f"{output} is there already and {said}"
        claim_folder(output, [], kind, force=True)
    damaged = refusal(lambda: claim_folder(tmp_path / "damaged", [], MODEL), tmp_path)
    assert "artifact.json cannot be read" in damaged
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "one"


@pytest.mark.parametrize("force", [False, True])
def test_nothing_is_written_into_a_model(force: bool, model: Path, tmp_path: Path):
    said = f"lies in the model {model}, which no file may be added to; choose another output"
    for name in ("metrics.json", "artifact.json", "deep/er"):
        file = refusal(lambda n=name: claim_file(model / n, [], NOTES, force), tmp_path)
        assert file == f"{model / name} {said}"
    folder = refusal(lambda: claim_folder(model / "report", [], REPORT, force), tmp_path)
    assert folder == f"{model / 'report'} {said}"


@pytest.mark.parametrize("force", [False, True])
def test_a_file_never_becomes_a_folder_nor_a_folder_a_file(
    force: bool, data: Path, model: Path, tmp_path: Path
):
    assert refusal(lambda: claim_folder(data, [], MODEL, force), tmp_path) == (
        f"{data} is a file, and a model is a folder; choose another output"
    )
    assert refusal(lambda: claim_file(model, [], NOTES, force), tmp_path) == (
        f"{model} is a folder, and a file is to be written; name one in it"
    )


def test_a_file_is_replaced_by_its_own_kind_or_where_kinds_cannot_be_told(tmp_path: Path):
    for name in ("ours.csv", "theirs.csv"):
        (tmp_path / name).write_text("a")
    (tmp_path / "empty.csv").touch()

    claim_file(tmp_path / "ours.csv", [], NOTES)
    claim_file(tmp_path / "empty.csv", [], NOTES)
    claim_file(tmp_path / "absent.csv", [], NOTES)
    claim_file(tmp_path / "theirs.csv", [])
    claim_file(tmp_path / "theirs.csv", [], NOTES, force=True)
    claim_file(Path("/dev/stdout"), [], NOTES)

    assert refusal(lambda: claim_file(tmp_path / "theirs.csv", [], NOTES), tmp_path) == (
        f"{tmp_path / 'theirs.csv'} is there already and is not notes: it is not ours; choose "
        "another output, or insist with --force"
    )


def test_two_outputs_of_one_call_differ_before_either_is_there(tmp_path: Path):
    one, same = tmp_path / "out.json", tmp_path / "." / "out.json"

    assert "is read from" in refusal(lambda: claim_file(one, [same], NOTES), tmp_path)


def test_names_that_are_no_path_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    claim_folder(Path("clue"), ["-", "clue/tnews", Path("absent.txt")], MODEL)


def test_what_cannot_be_written_is_known_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    output = tmp_path / "model"
    with monkeypatch.context() as disk:
        disk.setattr(os, "mkdir", read_only)
        for claim in (lambda: claim_folder(output, [], MODEL), lambda: claim_file(output, [])):
            assert refusal(claim, tmp_path, FileError) == (
                f"{output} cannot be written (Read-only file system); make it and the folder it "
                "lies in writable, or choose another place"
            )
    long = tmp_path / ("n" * 300)
    for claim in (lambda: claim_folder(long, [], MODEL), lambda: claim_file(long, [])):
        assert "File name too long" in refusal(claim, tmp_path, FileError)


def test_a_folder_without_rights_is_known_before_the_work(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    said = f"{model} cannot be written (Permission denied); make it and the folder it lies in "
    with monkeypatch.context() as rights:
        rights.setattr(os, "access", lambda path, mode: (path, mode) != (model, os.W_OK))
        assert refusal(lambda: claim_folder(model, []), tmp_path, FileError).startswith(said)

    def forbidden(path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))

    with monkeypatch.context() as rights:
        rights.setattr(os, "scandir", forbidden)
        with pytest.raises(FileError) as caught:
            claim_folder(model, [])
    assert str(caught.value).startswith(said)


def test_claiming_clears_what_a_dead_run_left(model: Path, tmp_path: Path):
    workspace = tmp_path / ".model.0badcafe.writing"
    workspace.mkdir()
    (workspace / "new").mkdir()
    model.rename(workspace / "old")

    claim_folder(model, [], MODEL)

    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert artifact.load(model).manifest.route == "student"


def test_litter_and_what_dead_runs_left_are_no_files(tmp_path: Path):
    for name in ("kept/a", ".ipynb_checkpoints/b", ".a.0badcafe.writing/new", "kept/.DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert files_in(tmp_path) == {"kept/a", "link"}
    (tmp_path / "link").unlink()
    assert outputs.holds_others(tmp_path, ["kept/a"]) is None
    assert outputs.holds_others(tmp_path, ["b"]) == "it also holds kept/a"


def test_a_report_whose_run_was_killed_while_its_files_moved_is_one(tmp_path: Path):
    kind = OutputKind("a report", lacks("report.json"), in_place=True)
    ready = tmp_path / "report" / ".files.0badcafe.writing" / "ready"
    ready.mkdir(parents=True)
    (ready / "report.json").write_text("{}")
    (tmp_path / "report" / "report.html").write_text("moved before")

    claim_folder(tmp_path / "report", [], kind)

    assert tree(tmp_path / "report").keys() == {"report.html", "report.json"}


@pytest.mark.parametrize(
    ("kind", "there", "tried"),
    [(MODEL, True, "m"), (MODEL, False, "m"), (REPORT, True, "m/files"), (REPORT, False, "m")],
)
def test_what_is_tried_is_what_will_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: OutputKind, there: bool, tried: str
):
    """A folder that is replaced as a whole needs room beside it, one that is filled within."""
    paths: list[Path] = []
    monkeypatch.setattr(outputs, "try_out", paths.append)
    if there:
        (tmp_path / "m").mkdir()

    claim_folder(tmp_path / "m", [], kind)

    assert paths == [tmp_path / tried]
