"""`biaoti score`: every row of a file is in its copy, once, in its place, with its class."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models import artifact
from models.artifact import Provenance
from models.calibration import calibrated
from models.errors import DataError, UsageError
from models.manifest import Answers
from models.student import StudentClassifier
from recipes.score import Score, score

ADDED = ["class", "class_name", "confidence", "unknown", "problem"]
TITLES = ["股市今日大涨", "球队比赛 冠军", "", "高考录取分数", "球队比赛 冠军"]


@pytest.fixture
def model(tmp_path: Path, tiny_student: StudentClassifier) -> Path:
    artifact.save(tiny_student, tmp_path / "model", temperature=2.0, threshold=0.5)
    return tmp_path / "model"


@pytest.fixture
def answers(model: Path) -> list[list[object]]:
    """What the model says of each of the titles, as cells."""
    found: list[list[object]] = []
    with artifact.load(model) as loaded:
        for title in TITLES:
            if not title:
                found.append([None] * 4 + ["the title is empty"])
                continue
            raw = loaded.uncalibrated.predict_proba([title])
            row = calibrated(raw, [title], 2.0)[0]
            names = (loaded.labels.names[row.argmax()], loaded.labels.display_names[row.argmax()])
            sure = round(float(row.max()), 4)
            found.append([*names, sure, bool(row.max() < 0.5), None])
    return found


def text(cell: object) -> str:
    return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def test_a_table_keeps_its_rows_and_has_their_classes_beside_them(tmp_path, model, answers):
    rows = "".join(f'{i};"{title}";甲\r\n' for i, title in enumerate(TITLES))
    (tmp_path / "a.csv").write_bytes(f"id;headline;n\r\n{rows}".encode("gb18030"))

    done = score(
        Score(
            file=str(tmp_path / "a.csv"), output=tmp_path / "b.csv",
            model=model, title_column="headline",
        )
    )  # fmt: skip

    found = list(
        csv.reader(io.StringIO((tmp_path / "b.csv").read_text("utf-8-sig")), delimiter=";")
    )
    assert found[0] == ["id", "headline", "n", *ADDED]
    assert found[1:] == [
        [str(i), title, "甲", *map(text, cells)]
        for i, (title, cells) in enumerate(zip(TITLES, answers, strict=True))
    ]
    assert (done.rows, done.problems, done.scored) == (5, 1, 3)
    assert done.classes.total() == 4
    assert done.classes["unknown"] == sum(cells[3] is True for cells in answers)
    assert not (tmp_path / "b.csv.run").exists()


def test_parquet_keeps_its_types_and_gets_typed_columns(tmp_path, model, answers):
    table = pa.table({"title": TITLES, "class": pa.array(range(5), pa.int8())})
    table = table.replace_schema_metadata({"huggingface": "{}", "kept": "yes"})
    pq.write_table(table, tmp_path / "a.parquet")

    score(Score(file=str(tmp_path / "a.parquet"), output=tmp_path / "b.parquet", model=model))

    found = pq.read_table(tmp_path / "b.parquet")
    assert found.schema.names == ["title", "class", *(f"biaoti_{name}" for name in ADDED)]
    assert found.schema.metadata == {b"kept": b"yes"}
    assert [str(kind) for kind in found.schema.types] == [
        "string", "int8", "string", "string", "double", "bool", "string",
    ]  # fmt: skip
    assert found.select(["title", "class"]).equals(table.replace_schema_metadata())
    columns = [found[f"biaoti_{name}"].to_pylist() for name in ADDED]
    assert [list(row) for row in zip(*columns, strict=True)] == answers


def test_a_workbook_and_lines_of_json_and_of_text_too(tmp_path, model, answers):
    book = openpyxl.Workbook()
    for cell in ("标题", *TITLES):
        book.active.append([cell or None])
    book.save(tmp_path / "a.xlsx")
    lines = "".join(json.dumps({"title": title}, ensure_ascii=False) + "\n" for title in TITLES)
    (tmp_path / "a.jsonl").write_text(lines, "utf-8")
    (tmp_path / "a.tsv").write_text(
        "id\ttitle\tn\n" + "".join(f"1\t{t}\t2\n" for t in TITLES), "utf-8"
    )
    for suffix in ("xlsx", "jsonl", "tsv"):
        settings = Score(
            file=str(tmp_path / f"a.{suffix}"), output=tmp_path / f"b.{suffix}", model=model
        )
        assert score(settings).rows == 5

    rows = list(openpyxl.load_workbook(tmp_path / "b.xlsx").active.iter_rows(values_only=True))
    assert rows[0] == ("标题", *ADDED)
    assert [row[1:5] for row in rows[1:]] == [tuple(cells[:4]) for cells in answers]
    assert rows[3][5] == "no title (null)"
    objects = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text("utf-8").splitlines()]
    assert objects == [
        {"title": title, **dict(zip(ADDED, cells, strict=True))}
        for title, cells in zip(TITLES, answers, strict=True)
    ]
    table = (tmp_path / "b.tsv").read_text("utf-8").splitlines()
    assert table[0].split("\t") == ["id", "title", "n", *ADDED]
    assert table[2].split("\t") == ["1", TITLES[1], "2", *map(text, answers[1])]


def test_an_interrupted_run_goes_on_and_ends_as_an_unbroken_one(tmp_path, model, monkeypatch):
    titles = [f"球队比赛{i}" for i in range(3000)]
    (tmp_path / "a.txt").write_text("\n".join(titles), "utf-8")
    settings = Score(file=str(tmp_path / "a.txt"), output=tmp_path / "b.txt", model=model)
    score(settings)
    output = Path(settings.output)
    unbroken = output.read_bytes()
    output.unlink()
    asked: list[int] = []
    score_all = StudentClassifier.score

    def interrupted_at(calls: int) -> None:
        def score_some(self, titles):
            asked.append(len(titles))
            if len(asked) == calls:
                raise KeyboardInterrupt
            return score_all(self, titles)

        monkeypatch.setattr(StudentClassifier, "score", score_some)

    interrupted_at(4)  # the first is of the model's probes
    with pytest.raises(KeyboardInterrupt):
        score(settings)
    assert not output.exists()
    first = sum(asked[1:3])
    asked.clear()
    interrupted_at(0)
    done = score(settings)

    assert output.read_bytes() == unbroken
    assert first > 0
    assert done.scored == sum(asked[1:]) == 3000 - first
    assert not list(tmp_path.glob("*.run"))


def test_what_is_no_copy_of_ours_is_kept(tmp_path, model):
    (tmp_path / "a.txt").write_text("球队比赛\n", "utf-8")
    (tmp_path / "b.txt").write_text("a manuscript", "utf-8")
    settings = Score(file=str(tmp_path / "a.txt"), output=tmp_path / "b.txt", model=model)

    with pytest.raises(
        UsageError, match=r"b\.txt is there already and is not a file that was scored"
    ):
        score(settings)
    assert (tmp_path / "b.txt").read_text("utf-8") == "a manuscript"
    score(Score(file=settings.file, output=settings.output, model=model, force=True))
    assert score(settings).rows == 1  # its own copy is replaced
    with pytest.raises(UsageError, match=r"a\.txt is read from"):
        score(Score(file=settings.file, output=tmp_path / "a.txt", model=model, force=True))
    (tmp_path / "b.txt.run").mkdir()
    (tmp_path / "b.txt.run" / "diary").write_text("")
    with pytest.raises(UsageError, match="also holds diary"):
        score(settings)


def test_a_copy_has_the_files_format(tmp_path, model):
    with pytest.raises(UsageError, match=r"call it b\.csv, not b\.parquet"):
        Score(file="a.csv", output=tmp_path / "b.parquet", model=model)
    (tmp_path / "a.csv").write_text("head\nx\n")
    with pytest.raises(DataError, match="no column title"):
        score(Score(file=str(tmp_path / "a.csv"), output=tmp_path / "b.csv", model=model))
    assert not (tmp_path / "b.csv").exists()


def test_drift_is_told_where_the_model_knows_its_answers(tmp_path, tiny_student):
    (tmp_path / "a.txt").write_text("球队比赛\n", "utf-8")
    best = tiny_student.labels.names[int(tiny_student.predict_proba(["球队比赛"]).argmax())]
    for expected in (best, "unknown"):
        answers = Answers({expected: 1.0}, (0.1,) * 10)
        artifact.save(
            tiny_student, tmp_path / "model", provenance=Provenance({}, {}, {}, answers=answers)
        )
        settings = Score(
            file=str(tmp_path / "a.txt"), output=tmp_path / "b.txt", model=tmp_path / "model"
        )
        drift = score(settings).drift
        assert drift == pytest.approx(0.0 if expected == best else 18.4, abs=0.1)
