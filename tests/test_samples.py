"""The titles that ship with the product are worth what the README says of them."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from models.labels import Labels
from titles import Source, check, normalise, read

SAMPLES = Path(__file__).parent.parent / "samples"
SPLITS = {name: Source(SAMPLES / f"{name}.txt") for name in ("train", "dev", "test")}


@pytest.fixture(scope="module")
def labels() -> Labels:
    return Labels.read(SAMPLES / "class.txt")


@pytest.mark.parametrize(("split", "per_class"), [("train", 100), ("dev", 20), ("test", 20)])
def test_every_class_has_as_many_titles(labels: Labels, split: str, per_class: int):
    found = read(SPLITS[split], labels)

    assert Counter(found.label_ids.tolist()) == dict.fromkeys(range(10), per_class)


def test_the_data_check_finds_nothing(labels: Labels):
    report = check(SPLITS, labels)

    assert [*report.errors, *report.warnings] == []


def test_no_two_titles_are_variants_of_one_template(labels: Labels):
    titles = [title for source in SPLITS.values() for title in read(source, labels).titles]
    grams = [{t[i : i + 3] for i in range(len(t) - 2)} for t in map(normalise, titles)]

    alike = [
        (titles[i], titles[j])
        for i, j in combinations(range(len(titles)), 2)
        if len(grams[i] & grams[j]) > 0.4 * len(grams[i] | grams[j])
    ]

    assert alike == []
    assert all(6 <= len(title) <= 34 for title in titles)
