"""Labels that can be learned, and that somebody should look at first."""

from pathlib import Path

from titles import Report, Source, check


def checked(folder: Path, labels: list[str], split: str = "train") -> Report:
    rows = "".join(f"第{place}条标题\t{label}\n" for place, label in enumerate(labels))
    (folder / f"{split}.txt").write_text(rows, encoding="utf-8")
    return check({split: Source(folder / f"{split}.txt")})


def told(report: Report) -> list[tuple[str, int, str]]:
    return [(found.code, found.line, found.detail) for found in report.findings]


def test_a_slip_among_many_rows_is_named_with_its_row(tmp_path: Path):
    report = checked(tmp_path, ["sports"] * 10 + ["sprots"] + ["finance"] * 4)

    assert told(report) == [("class-of-one", 11, "the only title of class 'sprots'")]
    assert not report.errors


def test_small_classes_of_a_small_file_are_not_remarkable(tmp_path: Path):
    assert not checked(tmp_path, ["sports"] * 9 + ["finance"]).findings


def test_rows_whose_label_differs_in_looks_only_are_named(tmp_path: Path):
    report = checked(tmp_path, ["体育 新闻"] * 3 + ["体育新闻"] * 2 + ["ＡＰＰ", "app", "app"])

    assert told(report) == [
        ("similar-label", 4, "label '体育新闻' differs from '体育 新闻' in looks only"),
        ("similar-label", 5, "label '体育新闻' differs from '体育 新闻' in looks only"),
        ("similar-label", 6, "label 'ＡＰＰ' differs from 'app' in looks only"),
    ]


def test_classes_without_titles_are_named_where_one_learns(tmp_path: Path):
    (tmp_path / "class.txt").write_text("a\nb\nc\n")

    assert told(checked(tmp_path, ["a", "a"])) == [("absent-class", 0, "no title of b, c")]
    assert not checked(tmp_path, ["a", "a"], split="dev").findings


def test_many_absent_classes_are_counted(tmp_path: Path):
    for classes, told in ((9, "c1, c2, c3, c4, c5 and 3 more"), (6, "c1, c2, c3, c4, c5")):
        (tmp_path / "class.txt").write_text("".join(f"c{i}\n" for i in range(classes)))

        (finding,) = checked(tmp_path, ["c0", "c0"]).findings

        assert finding.detail == f"no title of {told}"
