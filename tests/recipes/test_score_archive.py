"""`biaoti score --engine ray`: whatever dies, the output is the input, each row once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli import main
from models import artifact
from models.errors import DataError
from models.student import StudentClassifier
from recipes.score import Score, score
from scoring.archive import MANIFEST, plan, score_block

pytestmark = pytest.mark.slow

PROGRAM = "import sys; from cli import main; sys.exit(main(sys.argv[1:]))"
BLOCK_ROWS = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("archive")


@pytest.fixture
def model(folder: Path, tiny_student: StudentClassifier) -> Path:
    if not (folder / "model").exists():
        artifact.save(tiny_student, folder / "model")
    return folder / "model"


@pytest.fixture
def archive(folder: Path) -> Path:
    """8,000 rows in two files, every thousandth of them blank."""
    place = folder / "in"
    if not place.exists():
        place.mkdir()
        titles = [f"球队比赛第{i}场" if i % 1000 else "" for i in range(8_000)]
        pq.write_table(pa.table({"title": titles[:6_000]}), place / "a.parquet")
        (place / "b.csv").write_text("title\n" + "".join(f"{t}\n" for t in titles[6_000:]), "utf-8")
    return place


@pytest.fixture
def unbroken(folder: Path, model: Path, archive: Path) -> dict[str, bytes]:
    """The parts as this process makes them, one after another."""
    with artifact.load(model, threads=1) as loaded:
        for block in plan(str(archive), BLOCK_ROWS, None):
            score_block(block, loaded, str(folder / "expected"))
    return contents(folder / "expected")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != MANIFEST}


def scorers() -> list[int]:
    """Processes of actors that score."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes()
        except OSError:
            continue
        if words.startswith(b"ray::") and b"Scorer" in words:
            found.append(int(place.parent.name))
    return found


def until(condition, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_workers_and_driver_are_killed_and_the_parts_are_those_of_an_unbroken_run(
    folder, model, archive, unbroken
):
    output = folder / "out"
    words = ["score", str(archive), "--engine", "ray", "--output", str(output)]
    words += ["--model", str(model), "--block-rows", str(BLOCK_ROWS), "--actors", "1"]
    command = [sys.executable, "-c", PROGRAM, *words]
    driver = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until(lambda: len(list(output.glob("part-*.parquet"))) > 3)
        for pid in scorers():
            os.kill(pid, signal.SIGKILL)
        there = len(list(output.glob("part-*.parquet")))
        until(lambda: len(list(output.glob("part-*.parquet"))) > there + 3)
    finally:
        driver.kill()
        driver.wait()
    assert not (output / MANIFEST).exists()
    until(lambda: not scorers())
    before = {path.name: path.stat().st_mtime_ns for path in output.glob("part-*.parquet")}
    assert 7 < len(before) < 40

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert contents(output) == unbroken
    kept = [n for n in before if (output / n).stat().st_mtime_ns == before[n]]
    assert len(kept) >= len(before) - 1  # one may have been cut off
    told = json.loads((output / MANIFEST).read_text("utf-8"))
    assert (told["rows"], told["problems"]) == (8_000, 8)
    assert sum(told["classes"].values()) == 7_992
    assert [part["rows"] for part in told["parts"]] == [BLOCK_ROWS] * 40
    titles = [
        title or ""
        for part in told["parts"]
        for title in pq.read_table(output / part["name"])["title"].to_pylist()
    ]
    assert titles == [f"球队比赛第{i}场" if i % 1000 else "" for i in range(8_000)]
    assert f"{output}: 8,000 rows, 8 of them with a problem" in done.stdout


def test_what_is_done_is_not_done_again_and_needs_no_ray(folder, model, archive, unbroken):
    settings = Score(
        file=str(archive), output=str(folder / "expected"), model=model, engine="ray",
        block_rows=BLOCK_ROWS, address="none-is-there:1",
    )  # fmt: skip

    assert score(settings).scored == 0
    assert (folder / "expected" / MANIFEST).exists()


def test_an_error_of_a_worker_is_told_as_such(folder, model, monkeypatch, capsys):
    (folder / "bad").mkdir()
    (folder / "bad" / "a.csv").write_text("head\nx\n")
    words = ["score", str(folder / "bad"), "--engine", "ray", "--model", str(model)]
    assert main([*words, "--output", str(folder / "never")]) == 3
    assert "no column title" in capsys.readouterr().err
    with pytest.raises(DataError, match="there is no file of titles"):
        score(Score(file=str(folder / "model"), output="x", model=model, engine="ray"))
