"""What `data check` takes, and what it writes where it is asked to fix."""

from pathlib import Path

import pytest

from models.errors import DataError, UsageError
from recipes.data import DataCheck, data_check


@pytest.fixture
def unparted(tmp_path: Path) -> Path:
    """Rows whose label no tab parts from the title."""
    rows = "股市大涨 sports\n球队夺冠 finance\n联赛开幕 sports\n基金回暖 finance\n"
    (tmp_path / "train.txt").write_text(rows, encoding="utf-8")
    (tmp_path / "class.txt").write_text("sports\nfinance\n")
    return tmp_path / "train.txt"


def test_a_fix_that_would_leave_nothing_is_only_made_by_force(unparted: Path):
    before = set(unparted.parent.iterdir())

    with pytest.raises(DataError, match=r"4 of 4 rows cannot be used.*a space stands before"):
        data_check(DataCheck(files=(str(unparted),), fix=True))
    assert set(unparted.parent.iterdir()) == before

    report = data_check(DataCheck(files=(str(unparted),), fix=True, force=True))
    assert len(report.errors) == 4
    assert unparted.with_name("train.clean.txt").read_bytes() == b""
    assert unparted.with_name("train.dropped.csv").read_text("utf-8-sig").count("column-count") == 4


@pytest.mark.parametrize(
    ("name", "kind"), [("class.txt", "a list of classes"), ("a.dropped.csv", "a list of dropped")]
)
def test_what_lies_beside_files_of_titles_is_not_taken_for_one(
    unparted: Path, name: str, kind: str
):
    other = unparted.with_name(name)

    with pytest.raises(UsageError, match=rf"{name} is {kind}.* not a file of titles; leave it out"):
        data_check(DataCheck(files=(str(unparted), str(other))))


def test_uneven_and_tiny_classes_are_said_of_what_is_learned_from(tmp_path: Path):
    rows = [f"第{i}条体育标题\tsports\n" for i in range(99)] + ["楼市新政\trealty\n"]
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("".join(rows), encoding="utf-8")

    files = (str(tmp_path / "train.txt"), str(tmp_path / "test.txt"))
    told = data_check(DataCheck(files=files)).to_dict()["remarks"]

    assert [remark["code"] for remark in told] == ["tiny-class", "imbalance"]
    assert "train.txt has fewer than 10 titles of 1 classes (realty 1)" in told[0]["message"]
