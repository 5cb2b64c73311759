"""Cleaned copies: what is dropped, what is repaired, and that nothing wrong is left."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import UsageError
from models.labels import Labels
from titles import Source, check, fix

LABELS = Labels.of(["财经", "体育"])
# Few distinct titles, so that repeats within and between splits are the rule.
messy_titles = st.text("甲乙！ \u3000\x00\ufffd", max_size=4)
messy_rows = st.lists(st.tuples(messy_titles, st.sampled_from(["0", "1", "体育", "9", ""])))


def write(folder: Path, split: str, text: str) -> Source:
    path = folder / f"{split}.txt"
    path.write_bytes(text.encode())
    return Source(path)


def test_rows_are_dropped_for_one_reason_each(tmp_path: Path):
    train = (
        "股市大涨\t0\n股市大涨\t0\n股市大涨！\t0\n股市大涨\t1\n"  # first; exact; normalised; label
        "基金回暖\t0\n基金回暖\t0\n"  # both stand in dev
        "标签不对\t14\n\n\ufffd\ufffd一\t0\n生\ufffd字\t0\n"
        " 车企\u3000\u3000财报\x00\t0\n"
    )
    splits = {
        "train": write(tmp_path, "train", train),
        "dev": write(tmp_path, "dev", "基金回暖\t财经\n联赛开幕\t1\n"),
        "test": write(tmp_path, "test", "联赛开幕\t1\n股市\t0\n股市\t0\n"),
    }

    results = fix(splits, LABELS)

    clean = {split: (tmp_path / f"{split}.clean.txt").read_text("utf-8") for split in splits}
    assert clean == {
        "train": "股市大涨\t0\n生\ufffd字\t0\n车企 财报\t0\n",
        "dev": "基金回暖\t财经\n",
        "test": "联赛开幕\t1\n股市\t0\n",
    }
    assert results["train"].dropped == {
        "duplicate-exact": 1,
        "duplicate-normalised": 1,
        "contradictory-label": 1,
        "leak-exact": 2,
        "unknown-label": 1,
        "missing-title": 1,
        "replacement-character": 1,
    }
    assert results["train"].repaired == {
        "control-characters": 1,
        "wide-spaces": 1,
        "doubled-spaces": 1,
        "edge-spaces": 1,
    }
    assert (results["train"].rows_read, results["train"].rows_written) == (11, 3)
    assert str(results["dev"]) == f"{tmp_path}/dev.clean.txt: 1 of 2 rows; dropped 1 leak-exact"
    assert (tmp_path / "train.txt").read_text("utf-8") == train


@given(messy_rows, messy_rows, messy_rows)
def test_cleaned_copies_have_nothing_left_to_clean(train: list, dev: list, test: list):
    with TemporaryDirectory() as name:
        splits = {}
        for split, rows in (("train", train), ("dev", dev), ("test", test)):
            text = "".join(f"{title}\t{label}\n" for title, label in rows)
            splits[split] = write(Path(name), split, text)
        results = fix(splits, LABELS)
        report = check({split: Source(results[split].path) for split in splits}, LABELS)

        assert set(report.counts) <= {"replacement-character", "no-rows"}
        assert all(
            report.splits[split].rows == result.rows_written for split, result in results.items()
        )


def test_test_split_loses_no_row_to_a_leak(tmp_path: Path):
    splits = {split: write(tmp_path, split, "股市大涨\t0\n") for split in ("test", "dev", "train")}

    results = fix(splits, LABELS)

    assert {split: result.rows_written for split, result in results.items()} == {
        "test": 1,
        "dev": 0,
        "train": 0,
    }


def test_csv_keeps_its_other_columns(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text('id,title,label\n1," 两行\n标题",0\n2,甲\n3,"逗,号",1\n', encoding="utf-8")

    fix({"train": Source(path)}, LABELS)

    clean = (tmp_path / "a.clean.csv").read_text("utf-8")
    assert clean == 'id,title,label\n1,两行 标题,0\n3,"逗,号",1\n'


def test_json_lines_are_copied_as_they_are_unless_repaired(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    good, bad = '{"id":1,  "title": "\\u7532", "label": 0}', '{"title": "", "label": 0}'
    path.write_text(f'{good}\n{bad}\n{{"title": "乙 ", "label": 1, "id": 3}}\n', encoding="utf-8")

    fix({"train": Source(path)}, LABELS)

    lines = (tmp_path / "a.clean.jsonl").read_text("utf-8").splitlines()
    assert lines[0] == good
    assert [json.loads(line) for line in lines[1:]] == [{"title": "乙", "label": 1, "id": 3}]


def test_parquet_keeps_its_schema(tmp_path: Path):
    table = pa.table({"id": [1, 2, 3], "title": ["甲 ", None, "乙"], "label": ["财经"] * 3})
    pq.write_table(table, tmp_path / "a.parquet")

    fix({"train": Source(tmp_path / "a.parquet")}, LABELS)

    clean = pq.read_table(tmp_path / "a.clean.parquet")
    assert clean.schema == table.schema
    assert clean.to_pylist() == [
        {"id": 1, "title": "甲", "label": "财经"},
        {"id": 3, "title": "乙", "label": "财经"},
    ]


def test_saved_dataset_keeps_its_features(tmp_path: Path):
    features = datasets.Features(
        {"title": datasets.Value("string"), "label": datasets.ClassLabel(names=["财经", "体育"])}
    )
    columns = {"title": ["甲", "甲", "乙 "], "label": [0, 0, 1]}
    datasets.Dataset.from_dict(columns, features=features).save_to_disk(tmp_path / "saved")
    before = sorted(path.name for path in (tmp_path / "saved").iterdir())

    result = fix({"train": Source(tmp_path / "saved")}, LABELS)["train"]

    clean = datasets.load_from_disk(str(tmp_path / "saved.clean"))
    assert result.path == tmp_path / "saved.clean"
    assert clean.features == features
    assert clean.to_list() == [{"title": "甲", "label": 0}, {"title": "乙", "label": 1}]
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == before


def test_standard_input_and_repeated_files_are_refused(tmp_path: Path):
    source = write(tmp_path, "train", "甲\t0\n")

    with pytest.raises(UsageError, match="-: no copy can be written next to it; save it to a file"):
        fix({"train": Source("-")}, LABELS)
    with pytest.raises(UsageError, match="two splits are the same file; pass each file once"):
        fix({"train": source, "dev": source}, LABELS)


def test_a_cleaned_copy_among_the_files_is_not_replaced(tmp_path: Path):
    splits = {
        "train": write(tmp_path, "train", "股市大涨\t0\n"),
        "train.clean": write(tmp_path, "train.clean", "联赛开幕\t1\n"),
    }

    with pytest.raises(UsageError, match=r"train\.clean\.txt is read from; choose another"):
        fix(splits, LABELS)

    assert (tmp_path / "train.clean.txt").read_text("utf-8") == "联赛开幕\t1\n"
    assert not (tmp_path / "train.clean.clean.txt").exists()
