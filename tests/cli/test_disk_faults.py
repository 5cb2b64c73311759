"""A fault of the file system, or an interrupt, at any step of a command costs nobody anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier
from models.listed_files import verify
from models.manifest import Manifest
from titles import LabelledTitles

from .disk_faults import fault, steps

CODES = (0, 3, 4, 8)
"""Nothing lost by it, titles, a model, or another file that cannot be read or written."""


class Room:
    """A folder with data and a teacher, and the commands that are tried in it."""

    def __init__(self, root: Path, titles: LabelledTitles, teacher: EncoderClassifier):
        self.root = root
        self.train, self.dev, self.teacher = root / "train.txt", root / "dev.txt", root / "teacher"
        (root / "class.txt").write_text("".join(f"{name}\n" for name in titles.labels.names))
        pairs = zip(titles.titles, titles.label_ids, strict=True)
        rows = [f"{title}\t{label_id}\n" for title, label_id in pairs]
        self.train.write_text("".join(rows), encoding="utf-8")
        self.dev.write_text("".join([*rows[::4], " 球队　\t1\n"]), encoding="utf-8")
        artifact.save(teacher, self.teacher)
        self.out = root / "out" / "new"

    def learning(self, *words: object) -> list[str]:
        files = ["--train", self.train, "--dev", self.dev, "--output", self.out]
        return [str(word) for word in [*words, *files]]

    def kept(self) -> dict[str, bytes]:
        """Everything but outputs and what is made again: nothing of it may change."""
        written = re.compile(r"out/|cache/|.*\.(clean|dropped|writing)\b")
        files = {
            p.relative_to(self.root).as_posix(): p for p in self.root.rglob("*") if p.is_file()
        }
        return {name: path.read_bytes() for name, path in files.items() if not written.match(name)}

    def left_over(self) -> list[Path]:
        return list(self.root.rglob("*.writing"))


@pytest.fixture
def room(
    tmp_path: Path,
    three_topics: LabelledTitles,
    tiny_classifier: EncoderClassifier,
    monkeypatch: pytest.MonkeyPatch,
) -> Room:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Room(tmp_path, three_topics, tiny_classifier)


def end_at_steps(
    room: Room,
    words: list[str],
    whole: Callable[[], object],
    stride: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run the command, end it at every `stride`-th step by a fault, and now and then to its end.

    Args:
        whole: looks at what the command has written, and fails where that is not whole.
    """
    with steps(room.root, monkeypatch) as counted:
        assert main(words) == 0, capsys.readouterr().err
    kept = room.kept()
    for tried, number in enumerate(range(1, counted.taken + 5, stride)):
        with steps(room.root, monkeypatch, number, fault(tried)) as run:
            code = main(words)
        said = capsys.readouterr().err
        where = f"step {number}, {fault(tried)!r} at {run.hit}: {code} {said[-300:]}"
        assert "Traceback" not in said, where
        assert code in ((0, 130) if isinstance(fault(tried), KeyboardInterrupt) else CODES), where
        assert room.kept() == kept, where
        whole()
        if tried % 6 == 5:
            assert main(words) == 0, where + capsys.readouterr().err
    assert main(words) == 0, capsys.readouterr().err
    whole()
    assert room.left_over() == []


def whole_model(folder: Path) -> None:
    verify(folder, Manifest.read(folder))


def test_training_a_baseline(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    words = room.learning("train", "linear")

    end_at_steps(room, words, lambda: whole_model(room.out), 9, monkeypatch, capsys)


def test_fine_tuning(
    room: Room,
    tiny_encoder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    words = room.learning("train", "encoder", "--encoder", tiny_encoder, "--epochs", 1)

    end_at_steps(room, words, lambda: whole_model(room.out), 17, monkeypatch, capsys)


def test_distilling(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    words = ["distill", "--teacher", room.teacher, "--layers", 1, "--epochs", 1]
    words = room.learning(*words, "--cache", room.root / "cache")

    end_at_steps(room, words, lambda: whole_model(room.out), 19, monkeypatch, capsys)


def test_writing_cleaned_copies(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    words = ["data", "check", "--fix", str(room.train), str(room.dev)]
    main(words)
    copies = [path.with_name(f"{path.stem}.clean.txt") for path in (room.train, room.dev)]
    expected = [path.read_bytes() for path in copies]

    def whole() -> None:
        assert [path.read_bytes() for path in copies] == expected

    end_at_steps(room, words, whole, 1, monkeypatch, capsys)


def test_comparing(room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    report = room.root / "out"
    words = ["compare", room.teacher, f"b={room.teacher}", "--data", room.dev, "--no-speed"]
    words = [str(word) for word in [*words, "--cache", room.root / "cache", "--output", report]]

    def whole() -> None:
        assert {"report.html", "report.md", "report.json"} <= {p.name for p in report.iterdir()}

    end_at_steps(room, words, whole, 8, monkeypatch, capsys)
