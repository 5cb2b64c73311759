"""No verb writes over what is in use, or what a person wrote: told before any work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder: data in `d`, two models `a` and `b`, a thesis, and links to some of it."""
    room = tmp_path_factory.mktemp("room")
    (room / "d").mkdir()
    (room / "d" / "class.txt").write_text("stocks\nsports\neducation\n")
    (room / "d" / "train.txt").write_text("股市今日涨\t0\n球队比赛\t1\n高考分数\t2\n")
    (room / "d" / "dev.txt").write_text("股市涨\t0\n")
    (room / "d" / "titles.jsonl").write_text('{"title": "股市涨", "label": "stocks"}\n')
    (room / "thesis").mkdir()
    (room / "thesis" / "one.txt").write_text("chapter")
    (room / "link").symlink_to("d")
    (room / "model").symlink_to("a")
    return room


@pytest.fixture
def models(room: Path, tiny_classifier: EncoderClassifier) -> Path:
    if not (room / "a").exists():
        artifact.save(tiny_classifier, room / "a")
        artifact.save(tiny_classifier, room / "b")
    return room


LEARN = "--train d/train.txt --dev d/dev.txt --output"


@pytest.mark.parametrize(
    "command",
    [
        *(f"train {route} {LEARN} d" for route in ("width", "linear", "forest", "nearest")),
        *(f"train width {LEARN} {output}" for output in (
            "d/", "link", "link/", ".", "..", "d/../d", "./d/.", "d/train.txt", "d/train.txt/",
            "thesis", "a/new", "''", "/",
        )),
        *(f"train width {LEARN} {output} --force" for output in ("d", "link", ".", "d/dev.txt")),
        "train width --train d/train.txt --dev d/dev.txt --labels thesis/one.txt --output thesis "
        "--force",
        f"train fasttext {LEARN} d",
        f"train encoder --encoder a {LEARN} a --force",
        f"train encoder --encoder a {LEARN} a/b",
        "data folds d/train.txt --output d",
        "data folds d/train.txt --output .",
        "data folds d/train.txt --output thesis",
        "data recombine d/train.txt --output d/train.txt --force",
        "data recombine d/train.txt --output d/class.txt",
        "data recombine d/train.txt --output d/titles.jsonl",
        "data recombine d/train.txt --output thesis",
        "pretrain d/train.txt --encoder a --output a --force",
        "ensemble a b --dev d/dev.txt --output a --force",
        "ensemble a b --dev d/dev.txt --output model",
        "average a b --dev d/dev.txt --output b",
        "export a --output a",
        "export model --output a",
        "quantize a --method onnx --dev d/dev.txt --output d",
        f"distill --teacher a {LEARN} a",
        f"prune a --layers 1 {LEARN} a",
        f"factorize a --energy 0.9 {LEARN} d",
        "crossfit --train d/train.txt --dev d/dev.txt --member a --output d",
        "evaluate a d/train.txt --predictions d/train.txt",
        "evaluate a d/train.txt --predictions link/train.txt --force",
        "evaluate a d/train.txt --predictions d/titles.jsonl",
        "evaluate a d/train.txt --predictions a/config.json",
        "evaluate a d/train.txt --predictions d",
        "evaluate a d/train.txt --json --output d/train.txt",
        "compare a b --data d/train.txt --no-speed --output a",
        "compare a b --data d/train.txt --no-speed --output d",
        "compare x=model b --data d/train.txt --no-speed --output a --force",
        "compare a b --data d/train.txt --no-speed --output thesis",
        "classify --model a --output a/artifact.json 股市",
        "classify --model a --output d/train.txt 股市",
        "transformer figures --encoder a --output a",
        "transformer figures --output thesis",
        "transformer figures --output d/train.txt",
    ],
)  # fmt: skip
def test_an_output_over_what_is_in_use_is_wrong_usage_and_touches_nothing(
    command: str, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(models)
    before = contents(models)

    assert main(shlex.split(command)) == 2, capsys.readouterr().err

    said = capsys.readouterr().err
    assert said.startswith("biaoti: error: ")
    assert "choose " in said or "name one in it" in said
    assert contents(models) == before


def contents(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
