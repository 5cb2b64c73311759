"""The titles that ship with the product are worth what the README says of them."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest

from models.labels import Labels
from recipes.data import DataCheck, data_check
from recipes.settings import Reading
from titles import Source, check, normalise, read
from titles.class_map import ClassMap

SAMPLES = Path(__file__).parent.parent / "samples"
NAMES = ("train", "dev", "test")
SPLITS = {name: Source(SAMPLES / f"{name}.txt") for name in NAMES}
TODAY = {
    f"{name} 2": Source(SAMPLES / "today" / f"{name}.jsonl", newsroom="today") for name in NAMES
}
MAP = SAMPLES / "classes.tsv"
ROWS = {
    name: [
        json.loads(line)
        for line in (SAMPLES / "today" / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    for name in NAMES
}
TITLES = [row["title"] for rows in ROWS.values() for row in rows]


@pytest.fixture(scope="module")
def labels() -> Labels:
    return Labels.read(SAMPLES / "class.txt")


@pytest.fixture(scope="module")
def class_map() -> ClassMap:
    return ClassMap.read(MAP)


@pytest.mark.parametrize(("split", "per_class"), [("train", 100), ("dev", 20), ("test", 20)])
def test_every_class_has_as_many_titles(labels: Labels, split: str, per_class: int):
    found = read(SPLITS[split], labels)

    assert Counter(found.label_ids.tolist()) == dict.fromkeys(range(10), per_class)


def test_the_data_check_finds_nothing(labels: Labels, class_map: ClassMap):
    """Nor a title of one newsroom in a held-out file of the other."""
    report = check(SPLITS | TODAY, labels, class_map=class_map)

    assert [*report.errors, *report.warnings] == []


def test_the_command_has_nothing_to_remark_about_all_files_and_their_map():
    files = tuple(str(source.path) for source in (*SPLITS.values(), *TODAY.values()))

    report = data_check(DataCheck(files=files, reading=Reading(class_map=MAP)))

    assert (report.findings, report.remarks) == ([], [])
    assert {split: summary.rows for split, summary in report.splits.items()} == {
        "train": 1000, "dev": 200, "test": 200, "train 2": 240, "dev 2": 60, "test 2": 120,
    }  # fmt: skip


def test_no_two_titles_are_variants_of_one_template(labels: Labels):
    older = [title for source in SPLITS.values() for title in read(source, labels).titles]
    titles = older + TITLES
    grams = [{t[i : i + 3] for i in range(len(t) - 2)} for t in map(normalise, titles)]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, found in enumerate(grams):
        for gram in found:
            holders[gram].append(place)
    shared = Counter(pair for places in holders.values() for pair in combinations(places, 2))

    alike = [
        (titles[i], titles[j])
        for (i, j), both in shared.items()
        if both > 0.4 * (len(grams[i]) + len(grams[j]) - both)
    ]

    assert alike == []
    assert all(6 <= len(title) <= 34 for title in older)
    assert all(4 <= len(title) <= 44 for title in TITLES)


@pytest.mark.parametrize(
    ("split", "in_scope", "outside", "nothing"),
    [("train", 16, 12, 4), ("dev", 4, 3, 1), ("test", 8, 6, 2)],
)
def test_every_label_has_its_line_and_as_many_titles(
    labels: Labels, class_map: ClassMap, split: str, in_scope: int, outside: int, nothing: int
):
    meanings = class_map.of(TODAY[f"{split} 2"], labels).meanings

    expected = {
        each.label: nothing if each.says_nothing else in_scope if each.may_be else outside
        for each in meanings
    }
    assert len(expected) == 17
    assert Counter(row["label"] for row in ROWS[split]) == expected


def test_the_map_shows_all_that_a_label_may_mean(labels: Labels, class_map: ClassMap):
    meanings = class_map.of(TODAY["train 2"], labels).meanings

    may_be = {each.label: [labels.names[i] for i in each.may_be] for each in meanings}
    assert set().union(*may_be.values()) == set(labels.names)
    assert may_be["财经"] == ["finance", "stocks"]
    assert may_be["时事"] == ["society", "politics"]
    assert [label for label, classes in may_be.items() if not classes] == [
        "汽车", "美食", "健康", "旅行", "生活", "互动",
    ]  # fmt: skip
    assert [each.label for each in meanings if each.says_nothing] == ["互动"]


def test_the_splits_follow_each_other_in_time():
    spans = {name: [date.fromisoformat(row["date"]) for row in rows] for name, rows in ROWS.items()}

    assert all(days == sorted(days) for days in spans.values())
    assert date(2024, 6, 1) <= spans["train"][0] < spans["train"][-1] < spans["dev"][0]
    assert spans["dev"][-1] < spans["test"][0] < spans["test"][-1] <= date(2026, 6, 30)


def _has_emoji(title: str) -> bool:
    return any(unicodedata.category(character) == "So" for character in title)


FORMS: dict[str, tuple[Callable[[str], object], int]] = {
    "hashtag": (re.compile(r"^#[^#]+#").search, 45),
    "bracket": (re.compile("^【[^】]+】").search, 50),
    "sudden": (re.compile("^突发：").search, 8),
    "question": (re.compile("？").search, 80),
    "Latin": (re.compile("[A-Za-z]").search, 70),
    "score": (re.compile(r"(?<!\d)\d{1,3}[-:：比]\d{1,3}(?!\d)").search, 15),
    "emoji": (_has_emoji, 30),
    "long": (lambda title: len(title) > 30, 60),
    "short": (lambda title: len(title) <= 12, 85),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_today_are_there(form: str):
    has, least = FORMS[form]

    assert sum(1 for title in TITLES if has(title)) >= least


@pytest.mark.parametrize("form", ["hashtag", "bracket", "long", "short"])
def test_a_form_does_not_tell_the_label(form: str):
    """Else a model could learn the form in place of the words."""
    has, _ = FORMS[form]
    rows = [row for rows in ROWS.values() for row in rows]
    shares = {
        label: sum(1 for row in rows if row["label"] == label and has(row["title"])) / count
        for label, count in Counter(row["label"] for row in rows).items()
        if label != "互动"
    }

    assert min(shares.values()) > 0
    assert max(shares.values()) < 0.5
