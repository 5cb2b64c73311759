"""Cleaned copies: what is dropped, what is repaired, and that nothing wrong is left."""

import errno
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import DataError, FileError, UsageError
from models.labels import Labels
from titles import Source, check, fix, fixing

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

    results = fix(splits, LABELS, force=True)

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
        "lost-title": 1,
    }
    assert results["train"].repaired == {
        "control-characters": 1,
        "wide-spaces": 1,
        "doubled-spaces": 1,
        "edge-spaces": 1,
    }
    assert (results["train"].rows_read, results["train"].rows_written) == (11, 3)
    assert str(results["dev"]) == (
        f"{tmp_path}/dev.clean.txt: 1 of 2 rows; dropped 1 leak-exact; "
        f"see {tmp_path}/dev.dropped.csv"
    )
    assert (tmp_path / "train.txt").read_text("utf-8") == train


@settings(max_examples=25)
@given(messy_rows, messy_rows, messy_rows)
def test_cleaned_copies_have_nothing_left_to_clean(train: list, dev: list, test: list):
    with TemporaryDirectory() as name:
        splits = {}
        for split, rows in (("train", train), ("dev", dev), ("test", test)):
            text = "".join(f"{title}\t{label}\n" for title, label in rows)
            splits[split] = write(Path(name), split, text)
        results = fix(splits, LABELS, force=True)
        report = check({split: Source(results[split].path) for split in splits}, LABELS)

        assert set(report.counts) <= {"replacement-character", "no-rows", "absent-class"}
        assert all(
            report.splits[split].rows == result.rows_written for split, result in results.items()
        )


def test_test_split_loses_no_row_to_a_leak(tmp_path: Path):
    splits = {split: write(tmp_path, split, "股市大涨\t0\n") for split in ("test", "dev", "train")}

    results = fix(splits, LABELS, force=True)

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

    with pytest.raises(UsageError, match=r"is the cleaned copy of .*/train\.txt; pass one"):
        fix(splits, LABELS)

    assert (tmp_path / "train.clean.txt").read_text("utf-8") == "联赛开幕\t1\n"
    assert not (tmp_path / "train.clean.clean.txt").exists()


def test_what_is_clean_stays_as_it_is_byte_for_byte(tmp_path: Path):
    contents = {
        "a.txt": "\ufeff股市大涨\t0\r\n球队夺冠\t 1 \n联赛开幕\t体育".encode(),
        "b.csv": '\ufeffsep=;\r\nid;"Title";label;\r\n1;"基金""回暖""";财经;\r\n'.encode(),
        "c.jsonl": b'{"label":1.0,  "title":"\\u7532"}\r\n{"title":"\\u4e59","label":["1"]}',
        "mac.csv": "标题,类别\r楼市,财经\r中超,1".encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    splits = {name: Source(tmp_path / name) for name in contents}

    results = fix(splits, LABELS)

    assert {name: result.path.read_bytes() for name, result in results.items()} == contents
    assert all(result.rows_read == result.rows_written for result in results.values())


def test_a_clean_parquet_file_is_copied(tmp_path: Path):
    table = pa.table({"title": ["甲", "乙"], "label": ["财经", "体育"]})
    pq.write_table(table, tmp_path / "a.parquet", compression="gzip")

    result = fix({"a": Source(tmp_path / "a.parquet")}, LABELS)["a"]

    assert result.path.read_bytes() == (tmp_path / "a.parquet").read_bytes()


def test_only_the_rows_with_something_wrong_change(tmp_path: Path):
    content = '\ufefftitle,label\r\n"甲",0\r\n乙\u3000丙\r\n丁,体育,,\r\n 戊,1\n己,0'
    (tmp_path / "a.csv").write_bytes(content.encode())

    fix({"a": Source(tmp_path / "a.csv")}, LABELS)

    assert (tmp_path / "a.clean.csv").read_bytes().decode() == (
        '\ufefftitle,label\r\n"甲",0\r\n丁,体育,,\r\n戊,1\n己,0'
    )


def test_what_excel_wrote_in_gbk_is_cleaned_as_utf_8(tmp_path: Path):
    content = "标题,类别\r\n国足客场一球小胜,体育\r\nA股三大指数收涨,财经\r\n"
    (tmp_path / "a.csv").write_bytes(content.encode("gbk"))

    report = check({"a": Source(tmp_path / "a.csv")}, LABELS)
    fix({"a": Source(tmp_path / "a.csv")}, LABELS)

    assert [finding.message for finding in report.findings] == [
        "the file is GB18030, not UTF-8; it is read as such; biaoti data check --fix writes it as "
        "UTF-8"
    ]
    assert (tmp_path / "a.clean.csv").read_bytes() == content.encode()


def test_what_is_dropped_is_listed(tmp_path: Path):
    train = "股市大涨\t0\n股市大涨\t0\n球队夺冠\t1\n标题\t14\n"

    result = fix({"train": write(tmp_path, "train", train)}, LABELS)["train"]

    assert result.dropped_list == tmp_path / "train.dropped.csv"
    assert result.dropped_list.read_bytes().decode() == (
        "\ufeffline,reason,what,title,label\r\n"
        f"2,duplicate-exact,the same title as {tmp_path}/train.txt:1; biaoti data check --fix "
        "drops the row,股市大涨,0\r\n"
        "4,unknown-label,label '14' is not one of the 2 labels; fix the row or pass --labels,"
        "标题,14\r\n"
    )


def test_where_too_much_would_go_nothing_is_written(tmp_path: Path):
    splits = {
        "train": write(tmp_path, "train", "股市 0\n球队 1\n联赛 1\n基金 0\n"),
        "dev": write(tmp_path, "dev", "好标题\t1\n"),
    }
    before = sorted(tmp_path.iterdir())

    with pytest.raises(DataError) as caught:
        fix(splits, LABELS)

    assert str(caught.value) == (
        "no copy is written, since too much would be lost:\n"
        f"  {tmp_path}/train.txt: 4 of 4 rows cannot be used, 4 of them by column-count as line 1: "
        "columns: 1, expected title<TAB>label (a space stands before '0'); fix the row, or name "
        "the format of the file with --format\n"
        "with --force the copies are written all the same"
    )
    assert sorted(tmp_path.iterdir()) == before

    assert fix(splits, LABELS, force=True)["train"].rows_written == 0


def test_copies_of_all_splits_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    splits = {
        "train": write(tmp_path, "train", "股市大涨\t0\n球队夺冠\t1\n"),
        "dev": write(tmp_path, "dev", "好标题\t1\n"),
    }
    before = sorted(tmp_path.iterdir())
    rewrite = fixing.rewrite

    def fails_at_the_second(source: Source, *others: object) -> None:
        if Path(source.path).name == "dev.txt":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rewrite(source, *others)

    monkeypatch.setattr(fixing, "rewrite", fails_at_the_second)

    with pytest.raises(FileError, match=r"dev\.clean\.txt cannot be written \(No space left"):
        fix(splits, LABELS)

    assert sorted(tmp_path.iterdir()) == before
