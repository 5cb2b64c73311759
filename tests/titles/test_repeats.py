"""Titles that stand twice: which row is named, and to which it refers."""

from pathlib import Path

from models.labels import Labels
from titles import Source, check

LABELS = Labels.of(["财经", "体育"])


def test_many_equal_titles_each_refer_to_the_first(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\t0\n" * 3 + "甲！\t0\n" * 2, encoding="utf-8")

    report = check({"train": Source(tmp_path / "a.txt")}, LABELS)

    assert [(f.code, f.line, f.other and f.other.line) for f in report.findings if f.other] == [
        ("duplicate-exact", 2, 1),
        ("duplicate-exact", 3, 1),
        ("duplicate-normalised", 4, 1),
        ("duplicate-exact", 5, 4),
    ]


def test_a_leak_is_named_in_the_less_protected_split_and_contradicted_by_the_other(tmp_path: Path):
    (tmp_path / "train.txt").write_text("甲\t0\n甲\t0\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("甲\t1\n", encoding="utf-8")

    report = check({name: Source(tmp_path / f"{name}.txt") for name in ("test", "train")}, LABELS)

    found = [
        (f.code, f.split, f.line, f.other and f.other[::2]) for f in report.findings if f.other
    ]
    assert sorted(found) == [
        ("contradictory-label", "train", 1, ("test", 1)),
        ("contradictory-label", "train", 2, ("test", 1)),
        ("duplicate-exact", "train", 2, ("train", 1)),
        ("leak-exact", "train", 1, ("test", 1)),
        ("leak-exact", "train", 2, ("test", 1)),
    ]
