"""Files of several newsrooms, read by a class map into the classes of one model."""

import json
from pathlib import Path

import numpy as np
import pytest

from models.errors import DataError, UsageError
from models.labels import Labels
from titles import LabelledTitles, Report, Source, check, read_splits
from titles.class_map import ClassMap
from titles.newsroom_labels import NO_LABEL, NewsroomLabel, NewsroomLabels

CLASSES = ("finance", "stocks", "realty")
MAP = "tt\tmoney\tfinance|stocks\ntt\thouse\trealty\ntt\tcars\toutside\ntt\tstory\t-\n"


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, Source]:
    """One newsroom of the classes themselves, and one of other labels, which comes first."""
    for folder in ("sina", "tt"):
        (tmp_path / folder).mkdir()
    (tmp_path / "sina" / "class.txt").write_text("".join(f"{name}\n" for name in CLASSES))
    (tmp_path / "sina" / "train.txt").write_text("股市大涨\t1\n央行降息\t0\n", encoding="utf-8")
    rows = [("买房", "house"), ("汽车", "cars"), ("基金", "money"), ("故事", "story")]
    with (tmp_path / "tt" / "train.jsonl").open("w", encoding="utf-8") as file:
        for title, label in rows:
            file.write(json.dumps({"title": title, "label": label}) + "\n")
    (tmp_path / "classes.tsv").write_text(MAP)
    return {
        "train": Source(tmp_path / "tt" / "train.jsonl", newsroom="tt"),
        "train 2": Source(tmp_path / "sina" / "train.txt", newsroom="sina"),
    }


@pytest.fixture
def class_map(tmp_path: Path, sources: dict[str, Source]) -> ClassMap:
    return ClassMap.read(tmp_path / "classes.tsv")


def joined(sources: dict[str, Source], class_map: ClassMap) -> LabelledTitles:
    splits, _ = read_splits(sources, class_map=class_map)
    return LabelledTitles.joined(list(splits.values()), "both")


def test_labels_become_the_classes_of_the_newsroom_whose_labels_they_are(
    sources: dict[str, Source], class_map: ClassMap
):
    titles = joined(sources, class_map)

    assert titles.labels.names == CLASSES
    assert list(titles.titles) == ["买房", "汽车", "基金", "股市大涨", "央行降息"]
    assert titles.label_ids.tolist() == [2, NO_LABEL, NO_LABEL, 1, 0]
    assert titles.may_be.tolist() == [
        [False, False, True],
        [False, False, False],
        [True, True, False],
        [False, True, False],
        [True, False, False],
    ]
    assert titles.in_scope.tolist() == [True, False, True, True, True]
    assert titles.has_label.all()
    assert titles.by_newsroom.newsrooms == ("tt", "sina")
    assert titles.by_newsroom.newsroom_ids.tolist() == [0, 0, 0, 1, 1]
    assert titles.gold is titles.may_be


def test_a_map_alone_names_the_classes(tmp_path: Path, class_map: ClassMap):
    source = {"train": Source(tmp_path / "tt" / "train.jsonl", newsroom="tt")}

    splits, report = read_splits(source, class_map=class_map)

    assert splits["train"].labels.names == ("finance", "stocks", "realty")
    assert report.splits["train"].classes == {"money": 1, "house": 1, "cars": 1, "story": 1}


def test_classes_that_are_given_decide(tmp_path: Path, class_map: ClassMap):
    source = {"train": Source(tmp_path / "tt" / "train.jsonl", newsroom="tt")}
    given = Labels.of(["realty", "stocks", "finance", "game"])

    splits, _ = read_splits(source, given, class_map=class_map)

    assert splits["train"].may_be.astype(int).tolist() == [[1, 0, 0, 0], [0] * 4, [0, 1, 1, 0]]


def test_a_label_without_a_line_tells_nothing_and_is_said(tmp_path: Path, class_map: ClassMap):
    path = tmp_path / "tt" / "train.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write('{"title": "天气", "label": "weather"}\n')

    source = {"train": Source(path, newsroom="tt")}
    splits, report = read_splits(source, class_map=class_map)

    (found,) = report.findings
    assert (found.code, found.severity, found.line) == ("unmapped-label", "warning", 5)
    assert found.message == (
        "label 'weather' of tt has no line in classes.tsv; the title is left out; write there what "
        "the label means"
    )
    assert "天气" not in splits["train"].titles
    assert report.splits["train"].classes == {
        "money": 1, "house": 1, "cars": 1, "story": 1, "weather": 1
    }  # fmt: skip


def test_a_row_without_a_label_is_an_error_all_the_same(tmp_path: Path, class_map: ClassMap):
    path = tmp_path / "tt" / "train.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write('{"title": "天气"}\n')

    report = check({"train": Source(path, newsroom="tt")}, class_map=class_map)

    assert [(found.code, found.line) for found in report.errors] == [("unknown-label", 5)]


def findings(report: Report) -> list[tuple[str, str, int]]:
    return [(found.code, found.split, found.line) for found in report.findings]


def test_equal_titles_of_two_training_files_are_no_leak(
    tmp_path: Path, sources: dict[str, Source], class_map: ClassMap
):
    """Nor do labels contradict of which one may mean the other."""
    with (tmp_path / "sina" / "train.txt").open("a", encoding="utf-8") as file:
        file.write("基金\t1\n买房\t0\n")

    found = findings(check(sources, class_map=class_map))

    assert [each for each in found if each[0] != "absent-class"] == [
        ("duplicate-exact", "train", 1),
        ("contradictory-label", "train", 1),
        ("duplicate-exact", "train", 3),
    ]


def test_titles_of_dev_in_the_training_files_leak(
    tmp_path: Path, sources: dict[str, Source], class_map: ClassMap
):
    (tmp_path / "sina" / "dev.txt").write_text("基金\t1\n", encoding="utf-8")
    dev = Source(tmp_path / "sina" / "dev.txt", newsroom="sina")

    report = check({**sources, "dev": dev}, class_map=class_map)

    assert ("leak-exact", "train", 3) in findings(report)


def test_parts_and_more_titles_keep_what_is_known_of_each(
    sources: dict[str, Source], class_map: ClassMap
):
    titles = joined(sources, class_map)

    some = titles.take([3, 1]).with_unlabelled(["新的"])

    assert some.label_ids.tolist() == [1, NO_LABEL, NO_LABEL]
    assert some.may_be.sum(axis=1).tolist() == [1, 0, 3]
    assert some.has_label.tolist() == [True, True, False]
    assert some.in_scope.tolist() == [True, False, False]
    assert some.by_newsroom.newsroom_ids.tolist() == [1, 0, NO_LABEL]


def test_for_who_learns_single_classes_one_of_several_is_drawn(
    sources: dict[str, Source], class_map: ClassMap
):
    titles = joined(sources, class_map)

    single = titles.of_one_class()

    assert list(single.titles) == ["买房", "基金", "股市大涨", "央行降息"]
    assert single.label_ids[[0, 2, 3]].tolist() == [2, 1, 0]
    drawn = {int(titles.of_one_class(seed).label_ids[1]) for seed in range(20)}
    assert drawn == {0, 1}
    assert titles.of_one_class(5).label_ids.tolist() == titles.of_one_class(5).label_ids.tolist()
    assert single.newsroom_labels is None
    assert single.of_one_class() is single


def test_what_labels_mean_is_part_of_what_is_learned(
    tmp_path: Path, sources: dict[str, Source], class_map: ClassMap
):
    titles = joined(sources, class_map)
    (tmp_path / "classes.tsv").write_text(MAP.replace("outside", "realty"))

    other = joined(sources, ClassMap.read(tmp_path / "classes.tsv"))

    assert titles.fingerprint.sha256 == titles.content_sha256 != other.content_sha256


def test_titles_of_different_classes_are_not_joined():
    parts = [LabelledTitles.of(["a"], [0], Labels.of([name, "b"])) for name in ("a", "c")]

    with pytest.raises(UsageError, match="different classes"):
        LabelledTitles.joined(parts, "both")


def test_titles_without_a_label_are_refused_where_labels_are_needed(
    sources: dict[str, Source], class_map: ClassMap
):
    titles = joined(sources, class_map)
    titles.require_two_classes()

    with pytest.raises(DataError, match=r"title 5 .* has no label"):
        titles.with_unlabelled(["新"]).require_labels()
    with pytest.raises(DataError, match="of 0 class"):
        titles.take([1]).require_two_classes()


def test_labels_of_newsrooms_are_looked_up_by_title():
    kinds = (NewsroomLabel("a", "x", (0,)), NewsroomLabel("b", "y", (0, 1)))
    labels = NewsroomLabels(kinds, np.array([1, NO_LABEL, 0]))

    assert labels.lookup([7, 8]).tolist() == [8, NO_LABEL, 7]
    assert labels.class_ids().tolist() == [NO_LABEL, NO_LABEL, 0]
    again = NewsroomLabels.joined([labels, labels.take([2])])
    assert again.kinds == kinds
    assert again.ids.tolist() == [1, NO_LABEL, 0, 0]
