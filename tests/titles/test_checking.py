"""Everything that a check has to find, on files small enough to count by hand."""

from pathlib import Path

import pytest

from models.labels import Labels
from titles import Finding, Report, Source, check

LABELS = Labels.of(["财经", "体育"])


@pytest.fixture
def splits(tmp_path: Path) -> dict[str, Source]:
    contents = {
        "train": b"".join(
            [
                "股市大涨\t0\n".encode(),  # 1
                "球队夺冠\t1\n".encode(),  # 2
                "股市大涨\t0\n".encode(),  # 3: as 1
                "股市 大涨！\t1\n".encode(),  # 4: as 1 after normalisation, another label
                "基金回暖\t0\n".encode(),  # 5: in dev
                "ＧＤＰ增长\t0\n".encode(),  # 6: in test after normalisation
                "生僻\ufffd字\t0\n".encode(),  # 7
                "\ue000车企\u3000财报\t0\n".encode(),  # 8
                "没有标签\n".encode(),  # 9
                "标签不对\t14\n".encode(),  # 10
                b"\t0\n",  # 11
                b"\n",  # 12
                b"\xff\t0\n",  # 13
                "？？\t0\n".encode(),  # 14
                "！！\t0\n".encode(),  # 15: not as 14
            ]
        ),
        "dev": "基金回暖\t0\n联赛开幕\t1\n".encode(),
        "test": "gdp增长\t0\n联赛开幕\t0\n决赛 \t1\n".encode(),
    }
    for split, content in contents.items():
        (tmp_path / f"{split}.txt").write_bytes(content)
    return {split: Source(tmp_path / f"{split}.txt") for split in contents}


def found(report: Report) -> set[tuple[str, str, int, tuple[str, int] | None]]:
    return {
        (
            finding.code,
            finding.split,
            finding.line,
            finding.other and (finding.other.split, finding.other.line),
        )
        for finding in report.findings
    }


def test_every_kind_is_found_at_its_place(splits: dict[str, Source]):
    report = check(splits, LABELS)

    assert found(report) == {
        ("duplicate-exact", "train", 3, ("train", 1)),
        ("duplicate-normalised", "train", 4, ("train", 1)),
        ("contradictory-label", "train", 4, ("train", 1)),
        ("leak-exact", "train", 5, ("dev", 1)),
        ("leak-normalised", "train", 6, ("test", 1)),
        ("replacement-character", "train", 7, None),
        ("untidy-spacing", "train", 8, None),
        ("private-use-character", "train", 8, None),
        ("column-count", "train", 9, None),
        ("unknown-label", "train", 10, None),
        ("empty-title", "train", 11, None),
        ("missing-title", "train", 12, None),
        ("broken-encoding", "train", 13, None),
        ("leak-exact", "dev", 2, ("test", 2)),
        ("contradictory-label", "dev", 2, ("test", 2)),
        ("untidy-spacing", "test", 3, None),
    }
    assert len(report.findings) == 16
    assert {error.line for error in report.errors} == {9, 10, 11, 12, 13}
    assert len(report.warnings) == 11


def test_order_of_the_splits_does_not_change_who_leaks(splits: dict[str, Source]):
    backwards = dict(reversed(splits.items()))

    assert found(check(backwards, LABELS)) == found(check(splits, LABELS))


def test_numbers_of_each_split(splits: dict[str, Source]):
    report = check(splits, LABELS, count_tokens=lambda titles: [len(t) + 2 for t in titles])
    train, dev = report.splits["train"], report.splits["dev"]

    assert (train.rows, train.usable) == (15, 10)
    assert train.classes == {"财经": 8, "体育": 2}
    assert train.characters == {"p1": 2, "p50": 4, "p90": 6, "p99": 6, "max": 6}
    assert dev.tokens == {"p1": 6, "p50": 6, "p90": 6, "p99": 6, "max": 6}


def test_without_labels_nothing_is_said_of_labels(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t0\n甲\t1\n", encoding="utf-8")

    report = check({"train": Source(tmp_path / "a.txt")}, labelled=False)

    assert report.counts == {"duplicate-exact": 1}
    assert report.splits["train"].classes is None


def test_file_without_rows_is_an_error(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.touch()

    report = check({"train": Source(path)}, LABELS)

    assert report.errors == [Finding("no-rows", "train", str(path), 0)]
    assert report.errors[0].message == "no rows; check that the path names the right file"


@pytest.mark.parametrize(
    ("character", "is_private"),
    [("\ue000", True), ("\uf8ff", True), ("\uf900", False), ("\ud7fb", False),
     ("\U000f0000", True), ("\U0002ebe0", False), ("\U000e0100", False)],
)  # fmt: skip
def test_characters_of_private_use_are_told(tmp_path: Path, character: str, is_private: bool):
    (tmp_path / "a.txt").write_text(f"股市{character}大涨\t财经\n球队\t体育\n", "utf-8")
    codes = {finding.code for finding in check({"train": Source(tmp_path / "a.txt")}).findings}
    assert ("private-use-character" in codes) == is_private
