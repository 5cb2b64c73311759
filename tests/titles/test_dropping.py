"""When so much would be dropped that a cause has to be found first."""

from pathlib import Path

import pytest

from models.labels import Labels
from titles import Report, Source, check, objections
from titles.dropping import dropped_rows

LABELS = Labels.of(["财经", "体育", "教育"])
GOOD = "".join(f"第{i}条标题\t{i % 3}\n" for i in range(600))


def checked(folder: Path, content: bytes, labels: Labels | None = LABELS) -> Report:
    (folder / "train.txt").write_bytes(content)
    return check({"train": Source(folder / "train.txt")}, labels)


def test_a_few_unusable_rows_are_no_objection(tmp_path: Path):
    bad = "".join(f"坏{i}\tx{i}\n" for i in range(6))

    assert objections(checked(tmp_path, (GOOD + bad).encode())) == []
    assert objections(checked(tmp_path, (GOOD[:60] + bad[:12]).encode())) == []
    exactly = GOOD + "".join(f"第{i}条新标题\t{i % 3}\n" for i in range(93)) + bad + "坏\tx\n"
    assert exactly.count("\n") == 700  # of which 7 may be unusable
    assert objections(checked(tmp_path, exactly.encode())) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no rows; check that the path names the right file"),
        (
            GOOD.replace("\t", " ").encode(),
            "600 of 600 rows cannot be used, 600 of them by column-count as line 1: columns: 1, "
            "expected title<TAB>label (a space stands before '0'); fix the row, or name the format "
            "of the file with --format",
        ),
        (
            (GOOD + "".join(f"坏{i}\tx{i}\n" for i in range(7))).encode(),
            "7 of 607 rows cannot be used, 7 of them by unknown-label as line 601: label 'x0' is "
            "not one of the 3 labels; fix the row or pass --labels",
        ),
        (
            "".join(f"第{i}条标题\t{i % 3 + 1}\n" for i in range(90)).encode(),
            "30 of 90 rows cannot be used, 30 of them by unknown-label as line 3: the labels seem "
            "to count from 1 to 3 and are read from 0 to 2; subtract 1 from each, or write the "
            "names of the classes",
        ),
        (
            "甲\t1\n乙\t2\n丙\t3\n".encode(),
            "the labels seem to count from 1 to 3 and are read from 0 to 2; subtract 1 from each, "
            "or write the names of the classes",
        ),
        (
            (GOOD + "甲\t军事\n乙\t军事\n").encode(),
            "all rows with the label '军事' would go (2), which is not one of the 3 labels; fix "
            "the row or pass --labels",
        ),
        (
            "甲\t0\n乙\t1\n甲！\t2\n".encode(),
            "all titles of class '教育' would go (1), as they stand elsewhere or are damaged; look "
            "at the findings",
        ),
    ],
)
def test_what_has_a_cause_is_objected_to(tmp_path: Path, content: bytes, told: str):
    assert objections(checked(tmp_path, content)) == [f"{tmp_path}/train.txt: {told}"]


def test_a_split_that_would_be_emptied_is_objected_to_without_labels_too(tmp_path: Path):
    for split in ("train", "dev"):
        (tmp_path / f"{split}.txt").write_text("甲\n乙\n", encoding="utf-8")
    splits = {split: Source(tmp_path / f"{split}.txt") for split in ("train", "dev")}

    assert objections(check(splits, labelled=False)) == [
        f"{tmp_path}/train.txt: no row would be left; look at the findings"
    ]


def test_a_row_is_dropped_for_the_first_of_its_reasons(tmp_path: Path):
    report = checked(tmp_path, "甲\t0\n甲\t1\n\ufffd\ufffd\t0\n丙 \t0\n".encode())

    dropped = dropped_rows(report.findings)["train"]

    assert {line: finding.code for line, finding in dropped.items()} == {
        2: "contradictory-label",
        3: "lost-title",
    }
