"""One pass over a split: what is held of a title, counted and told on the way."""

from pathlib import Path

from titles import Source, check
from titles.scan import SplitScan, scan_splits


def test_tokens_are_counted_in_batches(tmp_path: Path):
    (tmp_path / "a.txt").write_text("".join(f"标题{i}\n" for i in range(2500)), encoding="utf-8")
    batches = []

    def count_tokens(titles: list[str]) -> list[int]:
        batches.append(len(titles))
        return [len(title) for title in titles]

    report = check({"train": Source(tmp_path / "a.txt")}, None, count_tokens, labelled=False)

    assert batches == [1024, 1024, 452]
    assert report.splits["train"].tokens == report.splits["train"].characters


def test_progress_is_told_every_ten_thousand_rows(tmp_path: Path):
    (tmp_path / "a.txt").write_text("".join(f"题{i}\n" for i in range(20_001)), encoding="utf-8")
    told = []

    source = Source(tmp_path / "a.txt")
    check({"dev": source}, progress=lambda *args: told.append(args), labelled=False)

    assert told == [("dev", 10_000), ("dev", 20_000)]


def test_of_a_title_that_is_not_kept_24_bytes_are_held(tmp_path: Path):
    (tmp_path / "a.txt").write_text("股市大涨\tfinance\n" * 5, encoding="utf-8")

    (scan,) = scan_splits({"train": Source(tmp_path / "a.txt")}, None)

    held = (scan.lines, scan.label_ids, scan.exact, scan.keys)
    assert [len(column) for column in held] == [5] * 4
    assert sum(column.itemsize for column in held) == 24
    assert scan.titles == []
    assert scan.characters == {4: 5}


def test_equal_titles_have_equal_hashes_and_others_have_not():
    scan = SplitScan("train", "a.txt")
    for line, title in enumerate(["股市 大涨", "股市 大涨", "股市大涨！", "球队夺冠"], start=1):
        scan.add(title, 0, line)

    assert scan.exact[0] == scan.exact[1]
    assert len(set(scan.exact)) == 3
    assert scan.keys[0] == scan.keys[1] == scan.keys[2] != scan.keys[3]


def test_labels_that_are_not_read_are_not_known(tmp_path: Path):
    (tmp_path / "a.txt").write_text("股市大涨\n", encoding="utf-8")

    (scan,) = scan_splits({"train": Source(tmp_path / "a.txt")}, None, labelled=False)

    assert (scan.labels, scan.label_ids.tolist()) == (None, [-1])
