"""Each kind of remark: when it is made, when it is not, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.labels import Labels
from models.manifest import Ingredient, Provenance
from models.remark import Remark
from scoring import remarks
from titles import LabelledTitles, Source, read_splits

LABELS = Labels.of(["stocks", "sports", "science"])


def titles_of(counts: Iterable[int], name: str = "dev.txt") -> LabelledTitles:
    """So many different titles of each class."""
    ids = [label for label, count in enumerate(counts) for _ in range(count)]
    return LabelledTitles.of([f"{name} {i}" for i in range(len(ids))], ids, LABELS, name)


def scores_of(titles: LabelledTitles, predicted: Iterable[int]) -> np.ndarray:
    """(n, classes): all on the class predicted."""
    return np.eye(len(LABELS), dtype=np.float32)[np.fromiter(predicted, int)]


def codes(found: Iterable[Remark]) -> list[str]:
    return [remark.code for remark in found]


@pytest.mark.parametrize(
    ("leaks", "counted"),
    [([True, False, False, True], "2 of the 4 titles"), ([True] * 4, "all 4 titles")],
)
def test_titles_that_were_learned_by_heart_are_counted(leaks: list[bool], counted: str):
    (found,) = remarks.of_leaks(titles_of([4]), np.array(leaks), "train.txt")

    assert found.code == "leak"
    assert found.message.startswith(f"{counted} of dev.txt stand in train.txt, too: a score")


def test_without_leaks_there_is_nothing_to_say():
    assert not codes(remarks.of_leaks(titles_of([4]), np.zeros(4, bool), "train.txt"))


def test_classes_without_a_title_are_named_with_what_follows():
    (found,) = remarks.of_absent(titles_of([0, 3, 0]))

    assert found == Remark(
        "absent-class",
        "dev.txt has no title of 2 of 3 classes (stocks, science): what a model makes of them is "
        "not measured here",
    )
    assert not codes(remarks.of_absent(titles_of([1, 1, 1])))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((10, 10, 10), []),
        ((10, 10, 9), ["tiny-class"]),
        ((10, 10, 199), []),
        ((10, 10, 200), ["imbalance"]),
        ((1, 0, 100), ["tiny-class", "imbalance"]),
        ((10, 0, 10), []),
    ],
)
def test_tiny_and_uneven_classes_are_said(counts: tuple[int, ...], expected: list[str]):
    sizes = dict(zip("abc", counts, strict=True))

    assert codes(remarks.of_sizes("train.txt", sizes)) == expected


def test_the_sizes_are_told():
    sizes = {"stocks": 1, "sports": 2, "science": 100}

    tiny, uneven = remarks.of_sizes("train.txt", sizes)

    assert "fewer than 10 titles of 2 classes (stocks 1, sports 2)" in tiny.message
    assert uneven.message.startswith("train.txt has 100 titles of science and 1 of stocks")


@pytest.mark.parametrize(("count", "expected"), [(33, ["few-titles"]), (34, [])])
def test_a_score_on_few_titles_is_said_to_be_rough(count: int, expected: list[str]):
    assert codes(remarks.of_few(titles_of([count] * 3))) == expected


@pytest.mark.parametrize(
    ("counts", "right", "expected"),
    [
        ((100, 100, 100), 100, ["no-better-than-majority"]),
        ((100, 100, 100), 119, ["no-better-than-majority"]),  # a tenth of the way is 120
        ((100, 100, 100), 120, []),
        ((4, 3, 3), 6, ["no-better-than-majority"]),  # by chance every sixth time
        ((4, 3, 3), 7, []),
        ((297, 2, 1), 297, ["no-better-than-majority"]),
        ((297, 2, 1), 300, []),
    ],
)
def test_a_model_no_better_than_the_majority_class_is_said_to_have_learned_nothing(
    counts: tuple[int, ...], right: int, expected: list[str]
):
    titles = titles_of(counts)
    wrong = (titles.label_ids + 1) % 3
    order = np.argsort(np.arange(len(titles)) % 7, kind="stable")  # every class has some right
    predicted = np.where(np.isin(np.arange(len(titles)), order[:right]), titles.label_ids, wrong)

    found = codes(remarks.of_scores(titles, scores_of(titles, predicted), "model"))

    assert [code for code in found if code != "class-never-right"] == expected


def test_the_majority_class_is_named_with_what_it_gets():
    titles = titles_of([100, 60, 40])

    majority, _ = remarks.of_scores(titles, scores_of(titles, [0] * 200), "fasttext")

    assert majority.message.startswith(
        "fasttext gets 50.00% of dev.txt right, where answering 'stocks' to every title gets 50.00%"
    )


def test_titles_of_one_class_say_nothing_about_the_majority():
    titles = titles_of([100, 0, 0])

    assert not codes(remarks.of_scores(titles, scores_of(titles, [0] * 100), "model"))


def test_a_class_of_which_nothing_is_right_is_named():
    titles = titles_of([100, 100, 20])
    predicted = np.where(titles.label_ids == 2, 1, titles.label_ids)

    (found,) = remarks.of_scores(titles, scores_of(titles, predicted), "model")

    assert found == Remark(
        "class-never-right",
        "model gets no title right of 1 of the 3 classes in dev.txt (science)",
    )


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [(0.05, 1), (0.066, 1), (0.08, 0), (1.0, 0), (13.0, 0), (14.0, 1), (20.0, 1)],
)
def test_a_temperature_at_the_bound_of_the_search_is_said(temperature: float, expected: int):
    assert codes(remarks.of_temperature(temperature, "m")) == ["temperature-at-bound"] * expected


@pytest.mark.parametrize(("cut", "expected"), [(4, 0), (5, 1), (100, 1)])
def test_titles_longer_than_the_model_reads_are_counted(cut: int, expected: int):
    truncated = np.arange(100) < cut

    found = list(remarks.of_lengths(titles_of([100]), truncated, "student", 16))

    assert codes(found) == ["truncated"] * expected
    assert all(
        f"{cut} of the 100 titles of dev.txt are longer than the 16" in f.message for f in found
    )


def test_a_start_that_reads_less_than_is_asked_for_is_said():
    assert not codes(remarks.of_positions(64, 64))

    (told,) = remarks.of_positions(32, 64)
    assert told.code == "fewer-positions"
    assert told.message.startswith("the student reads 32 tokens of a title, not 64")


@pytest.mark.parametrize(("lost", "expected"), [(0, 0), (4, 0), (5, 1)])
def test_titles_that_cannot_be_read_are_counted(lost: int, expected: int):
    texts = ["??????????????"] * lost + ["国足小胜取得开门红"] * (100 - lost)
    titles = LabelledTitles.of(texts, [0] * 100, LABELS, "dev.txt")

    found = list(remarks.of_unreadable(titles))

    assert codes(found) == ["unreadable"] * expected
    told = f"{lost} of the 100 titles of dev.txt cannot be read, such as '??????????????'; "
    assert all(remark.message.startswith(told) for remark in found)


def test_a_file_that_the_model_was_made_from_is_recognised(make_manifest):
    data = titles_of([3])
    made_from = tuple(
        Ingredient(role, "data", "any.txt", data.fingerprint.sha256) for role in ("train", "dev")
    )
    manifest = replace(make_manifest("m", LABELS), provenance=Provenance(made_from=made_from))

    (found,) = remarks.of_origin(manifest, data)
    assert found.code == "made-from-it"
    assert "dev.txt is what m was made from (its dev and train titles)" in found.message
    assert codes(remarks.of_origin(manifest, data, ["teacher"])) == []
    assert codes(remarks.of_origin(manifest, titles_of([4]))) == []
    (found,) = remarks.of_origin(manifest, LabelledTitles.joined([titles_of([4]), data], "both"))
    assert found.message.startswith(f"{data.fingerprint.name} is what")


def test_what_was_found_in_files_is_said_before_learning(tmp_path: Path):
    (tmp_path / "class.txt").write_text("stocks\nsports\nscience\n")
    train, dev = tmp_path / "train.txt", tmp_path / "dev.txt"
    train.write_text("甲股涨\t0\n乙队胜\t1\n甲股涨\t0\n甲股涨\t1\n丙\t0\n", encoding="utf-8")
    dev.write_text("乙队胜\t1\n丁\t0\n", encoding="utf-8")
    splits, report = read_splits({"train": Source(train), "dev": Source(dev)})

    found = remarks.before_learning(splits["train"], splits["dev"], report)

    by_code = {remark.code: remark.message for remark in reversed(found)}
    assert by_code["leak"].startswith("1 of the 2 titles of dev.txt stand in train.txt, too")
    assert by_code["duplicate-exact"].startswith(
        "2 of 5 rows of train.txt, first train.txt:3: the same title as train.txt:1; "
    )
    assert by_code["contradictory-label"].startswith("1 of 5 rows of train.txt, first train.txt:4")
    assert by_code["absent-class"].startswith("train.txt: no title of science; give it titles")
    assert {"tiny-class", "few-titles"} <= by_code.keys()
    assert str(tmp_path) not in "".join(by_code.values())
