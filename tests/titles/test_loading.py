"""From files to titles in memory: each file is opened once, and an unusable one says why."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from models.errors import DataError
from models.labels import Labels
from titles import Source, check, read, read_splits, read_titles
from titles.byte_lines import ByteLines

ROWS = "title,label\n股市大涨,finance\n球队夺冠,sports\n基金回暖,finance\n"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A table whose classes only its rows tell."""
    (tmp_path / "train.csv").write_text(ROWS, encoding="utf-8")
    return Source(tmp_path / "train.csv")


@pytest.fixture(scope="module")
def opened() -> list[str]:
    """The paths that this process opens, by whatever means, from now on: a hook stays for good."""
    paths: list[str] = []
    sys.addaudithook(lambda event, given: paths.append(str(given[0])) if event == "open" else None)
    return paths


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that are given to the format to parse."""
    lines: list[bytes] = []

    def recorded(self: ByteLines) -> Iterator[bytes]:
        for line in iterate(self):
            lines.append(line)
            yield line

    iterate = ByteLines.__iter__
    monkeypatch.setattr(ByteLines, "__iter__", recorded)
    return lines


def test_a_stream_of_no_title_says_so_at_its_end(tmp_path: Path):
    (tmp_path / "empty.txt").touch()

    with pytest.raises(DataError, match=r"empty\.txt: no rows; check that the path names"):
        list(read_titles(Source(tmp_path / "empty.txt")))


# --- one pass


@pytest.mark.parametrize(
    "load", [read, lambda s: read_splits({"train": s}), lambda s: check({"": s})]
)
def test_a_file_that_tells_its_own_classes_is_opened_and_parsed_once(
    source: Source, load: Callable[[Source], object], opened: list[str], parsed: list[bytes]
):
    opened.clear()

    load(source)

    assert opened.count(str(source.path)) == 1
    assert parsed == ROWS.encode().splitlines(keepends=True)


def test_one_read_gives_titles_labels_and_hash(source: Source):
    found = read(source)

    assert list(found.titles) == ["股市大涨", "球队夺冠", "基金回暖"]
    assert found.label_ids.tolist() == [0, 1, 0]
    assert found.labels.names == ("finance", "sports")
    assert found.fingerprint.to_dict() == {
        "name": "train.csv",
        "rows": 3,
        "sha256": sha256(ROWS.encode()).hexdigest(),
    }


def test_splits_have_the_classes_of_train_and_a_report_of_all(tmp_path: Path, source: Source):
    dev = "title,label\n决赛,sports\n,sports\n股市大涨,finance\n,x\n楼市,realty\n"
    (tmp_path / "dev.csv").write_text(dev, encoding="utf-8")
    splits = {"train": source, "dev": Source(tmp_path / "dev.csv")}

    found, report = read_splits(splits)

    assert list(found["dev"].titles) == ["决赛", "股市大涨"]
    assert found["dev"].label_ids.tolist() == [1, 0]
    assert found["dev"].labels is found["train"].labels
    assert found["dev"].fingerprint.rows == 5
    assert report.to_dict() == check(splits).to_dict()
    assert report.counts == {"empty-title": 2, "unknown-label": 1, "leak-exact": 1}
    assert report.splits["dev"].classes == {"finance": 1, "sports": 1}


def test_splits_and_a_single_read_hold_the_same(source: Source):
    found, _ = read_splits({"train": source})

    assert found["train"].content_sha256 == read(source).content_sha256
    assert found["train"].fingerprint == read(source).fingerprint
    assert found["train"].label_ids.dtype == read(source).label_ids.dtype == "int64"


# --- titles alone


def test_titles_are_streamed_and_then_known_by_their_hash(source: Source):
    titles = read_titles(source)

    assert next(titles) == "股市大涨"
    assert list(titles) == ["球队夺冠", "基金回暖"]
    assert titles.fingerprint == read(source).fingerprint


def test_titles_before_the_bad_one_are_given(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\n\n", encoding="utf-8")
    titles = read_titles(Source(tmp_path / "a.txt"))

    assert next(titles) == "甲"
    with pytest.raises(DataError, match=r"a\.txt:2: the line is blank"):
        next(titles)


# --- what cannot be used


def test_the_first_unusable_row_is_named(tmp_path: Path):
    (tmp_path / "a.txt").write_text("甲\tx\n乙\ty\n", encoding="utf-8")

    with pytest.raises(DataError) as caught:
        read(Source(tmp_path / "a.txt"), Labels.of(["x"]))

    assert str(caught.value) == (
        f"{tmp_path}/a.txt:2: label 'y' is not one of the 1 labels; fix the row or pass --labels"
    )


def test_file_without_rows_cannot_be_read(tmp_path: Path):
    (tmp_path / "a.txt").touch()

    with pytest.raises(DataError, match=r"a\.txt: no rows; check that the path names"):
        read(Source(tmp_path / "a.txt"), Labels.of(["x"]))


def test_heavy_libraries_are_not_imported():
    heavy = "{'torch', 'transformers', 'datasets', 'pyarrow', 'sklearn'}"
    code = f"import sys, titles; print(sorted({heavy} & set(sys.modules)))"
    root = Path(__file__).parent.parent.parent

    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)

    assert result.stdout == "[]\n"


def test_another_encoding_is_said_where_no_report_says_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "a.txt"
    path.write_bytes("股市三大指数大涨\tfinance\n国足客场小胜\tsports\n".encode("gbk"))

    assert list(read_titles(Source(path))) == read(Source(path)).titles

    assert caplog.messages == [f"{path} is GB18030, and is read as such"] * 2
