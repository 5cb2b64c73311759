"""Archives in blocks: the parts are the input, each row once, whoever made them and when."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models import artifact
from models.artifact import LoadedModel
from models.errors import DataError, UsageError
from models.student import StudentClassifier
from scoring.archive import MANIFEST, Block, Output, plan, score_block

TITLES = ["股市今日大涨", "球队比赛冠军", "", "高考录取分数", "今日新的大学生", "球队"]


@pytest.fixture
def model(tmp_path: Path, tiny_student: StudentClassifier) -> Iterator[LoadedModel]:
    artifact.save(tiny_student, tmp_path / "model", threshold=0.5)
    with artifact.load(tmp_path / "model") as loaded:
        yield loaded


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Three files of three formats, and one that is no titles."""
    folder = tmp_path / "archive"
    (folder / "more").mkdir(parents=True)
    table = pa.table({"title": TITLES, "n": range(6)})
    pq.write_table(table.replace_schema_metadata({"huggingface": "{}"}), folder / "a.parquet")
    rows = "".join(f'{i},"{title}"\n' for i, title in enumerate(TITLES))
    (folder / "more" / "b.csv").write_text("id,title\n" + rows + "7,x,y\n", "utf-8")
    (folder / "c.jsonl").write_text(json.dumps({"title": "球队"}) + "\nnone\n", "utf-8")
    (folder / "README.md").write_text("titles\n")
    return folder


def scored(blocks: list[Block], model: LoadedModel, target: Path) -> dict[str, bytes]:
    summaries = [score_block(block, model, str(target)) for block in blocks]
    Output(str(target)).finish(summaries, {"model": "tiny"})
    return {path.name: path.read_bytes() for path in sorted(target.iterdir())}


def test_parts_hold_all_rows_with_their_columns_and_answers(archive, model, tmp_path):
    blocks = plan(str(archive), 4, None)
    assert [(Path(b.url).name, b.piece.first, b.piece.rows) for b in blocks] == [
        ("a.parquet", 0, 4), ("a.parquet", 4, 2), ("c.jsonl", 0, 2),
        ("b.csv", 0, 4), ("b.csv", 4, 3),
    ]  # fmt: skip

    summaries = [score_block(block, model, str(tmp_path / "out")) for block in blocks]

    tables = [pq.read_table(tmp_path / "out" / each.part) for each in summaries]
    assert tables[0].schema.names[:2] == ["title", "n"]
    assert tables[0]["title"].to_pylist() == TITLES[:4]
    assert b"huggingface" not in tables[0].schema.metadata
    with artifact.load(model.folder) as again:
        said = again.predictions(TITLES[:1], again.uncalibrated.score(TITLES[:1]))[0]
    assert tables[0]["class"][0].as_py() == said.best.label
    assert tables[0]["confidence"][0].as_py() == pytest.approx(said.best.score, abs=1e-4)
    assert tables[0]["problem"].to_pylist() == [None, None, "the title is empty", None]
    assert tables[4].schema.names[:3] == ["id", "title", "record"]
    assert tables[4]["id"].to_pylist() == ["4", "5", None]
    assert tables[4]["record"].to_pylist() == [None, None, "7,x,y"]
    assert [(each.rows, each.problems) for each in summaries] == [
        (4, 1), (2, 0), (2, 1), (4, 1), (3, 1),
    ]  # fmt: skip
    assert sum(sum(each.classes.values()) for each in summaries) == 15 - 4
    (line,) = (tmp_path / "out").glob(f"problems-{blocks[4].id(model.manifest.version)}.jsonl")
    told = json.loads(line.read_text("utf-8"))
    assert (Path(told["file"]).name, told["row"]) == ("b.csv", 8)
    assert "columns: 3, expected 2" in told["problem"]


def test_in_whatever_order_and_however_often_the_parts_are_the_same(archive, model, tmp_path):
    blocks = plan(str(archive), 2, None)
    once = scored(blocks, model, tmp_path / "once")
    other = scored([*blocks[::-1], *blocks[:3]], model, tmp_path / "other")

    named = json.loads(once.pop(MANIFEST))
    other.pop(MANIFEST)
    assert once == other
    assert sum(part["rows"] for part in named["parts"]) == 15
    assert {part["name"] for part in named["parts"]} == {n for n in once if n.startswith("part-")}


def test_what_is_finished_is_known_and_what_was_cut_off_is_not(archive, model, tmp_path):
    blocks, target, version = plan(str(archive), 2, None), tmp_path / "out", model.manifest.version
    summaries = [score_block(block, model, str(target)) for block in blocks[:3]]
    (target / summaries[1].part).write_bytes((target / summaries[1].part).read_bytes()[:-1])
    (target / f"{summaries[2].part}.0123abcd.writing").write_bytes(b"PAR1")

    found = Output(str(target)).finished(blocks, version)

    assert found == {blocks[0].id(version): summaries[0], blocks[2].id(version): summaries[2]}
    whole = scored(blocks, model, target)
    assert not any(name.endswith(".writing") for name in whole)
    assert sum(name.startswith("part-") for name in whole) == len(blocks)


def test_a_folder_of_something_else_is_left_alone(archive, model, tmp_path):
    blocks, target = plan(str(archive), 9, None), tmp_path / "out"
    score_block(blocks[0], model, str(target))
    output = Output(str(target))
    with pytest.raises(UsageError, match="holds parts of other titles or of another model"):
        output.finished(blocks, "another")
    with pytest.raises(UsageError, match="holds parts of other titles"):
        output.finished(blocks[1:], model.manifest.version)
    (target / "diary.txt").write_text("")
    with pytest.raises(UsageError, match=r"also holds diary\.txt"):
        output.finished(blocks, model.manifest.version)


def test_a_file_that_changes_is_another_block_or_an_error(archive, model, tmp_path):
    (before,) = plan(str(archive / "c.jsonl"), 9, None)
    (archive / "c.jsonl").write_text('{"title": "股市"}\n' * 3)
    (after,) = plan(str(archive / "c.jsonl"), 9, None)

    assert before.id("v") != after.id("v")
    assert Block.read(json.dumps(asdict(after))) == after
    (archive / "c.jsonl").write_text("\n" * after.piece.stop)
    with pytest.raises(DataError, match="has changed while it was scored"):
        score_block(after, model, str(tmp_path / "out"))


def test_patterns_and_other_file_systems_are_read(model, tmp_path, archive):
    assert {Path(block.url).name for block in plan(f"{archive}/*.parquet", 9, None)} == {
        "a.parquet"
    }
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/in/a.parquet", (archive / "a.parquet").read_bytes())
    memory.pipe_file("/in/b.csv", (archive / "more" / "b.csv").read_bytes())
    blocks = plan("memory://in", 4, None)
    summaries = [score_block(block, model, "memory://out") for block in blocks]
    assert sum(each.rows for each in summaries) == 13
    assert Output("memory://out").finished(blocks, model.manifest.version).keys() == {
        block.id(model.manifest.version) for block in blocks
    }
    memory.rm("/in", recursive=True)
    memory.rm("/out", recursive=True)


def test_where_there_is_nothing_it_says_so(tmp_path):
    with pytest.raises(DataError, match=r"there is no file of titles \(\.parquet, \.csv"):
        plan(str(tmp_path), 9, None)
    with pytest.raises(DataError, match="there is no file of titles"):
        plan(str(tmp_path / "absent.csv"), 9, None)
