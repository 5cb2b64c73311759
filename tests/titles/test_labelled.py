"""Labelled titles: what is refused when they are built, and what tells two sets apart."""

import numpy as np
import pytest

from models.errors import DataError
from models.labels import Labels
from titles import NO_LABEL, Fingerprint, LabelledTitles

LABELS = Labels.of(["stocks", "sports"])
THREE = LabelledTitles.of(["股市", "球队", "高考"], [0, 1, 1], LABELS, "three.txt")


@pytest.mark.parametrize(
    ("titles", "label_ids", "message"),
    [
        (["a"], [0, 1], "1 titles but 2 label ids; give one label a title"),
        (
            ["a", "b"],
            [0, 2],
            "title 1 (counted from 0) has label id 2, but there are 2 classes; "
            "fix the row or pass the right class names",
        ),
        (
            ["a", "b"],
            [-2, 0],
            "title 0 (counted from 0) has label id -2, but there are 2 classes; "
            "fix the row or pass the right class names",
        ),
    ],
)
def test_labels_that_do_not_fit_are_refused_when_built(titles, label_ids, message):
    with pytest.raises(DataError) as caught:
        LabelledTitles(titles, np.array(label_ids), LABELS, Fingerprint("x", 2, ""))

    assert str(caught.value) == message


def test_titles_put_together_are_known_by_their_content():
    again = LabelledTitles.of(iter(THREE.titles), np.array([0, 1, 1]), LABELS)

    assert THREE.fingerprint == Fingerprint("three.txt", 3, THREE.content_sha256)
    assert again.fingerprint == Fingerprint("titles", 3, THREE.content_sha256)
    assert len(THREE) == 3
    assert THREE.label_ids.dtype == np.int64


@pytest.mark.parametrize(
    ("titles", "label_ids", "names"),
    [
        (["股市", "球队", "高考"], [0, 1, 0], ["stocks", "sports"]),
        (["股市", "球队", "高考"], [0, 1, NO_LABEL], ["stocks", "sports"]),
        (["股市", "球队", "高考"], [0, 1, 1], ["sports", "stocks"]),
        (["股市", "球队", "高考"], [0, 1, 1], ["stocks", "sports", "game"]),
        (["股市", "球队", "高考"], [0, 1, 1], ["stocks", "game"]),
        (["球队", "股市", "高考"], [0, 1, 1], ["stocks", "sports"]),
        (["球队", "股市", "高考"], [1, 0, 1], ["stocks", "sports"]),
        (["股市", "球队高考", ""], [0, 1, 1], ["stocks", "sports"]),
        (["股市", "球队"], [0, 1], ["stocks", "sports"]),
    ],
)
def test_other_titles_labels_or_classes_have_another_hash(titles, label_ids, names):
    other = LabelledTitles.of(titles, label_ids, Labels.of(names), "three.txt")

    assert other.content_sha256 != THREE.content_sha256
    assert other.fingerprint.sha256 == other.content_sha256


def test_content_is_told_apart_where_the_file_is_the_same():
    fingerprint = Fingerprint("three.csv", 3, "0" * 64)
    other = LabelledTitles(THREE.titles, np.array([1, 1, 1]), LABELS, fingerprint)
    same = LabelledTitles(THREE.titles, THREE.label_ids, LABELS, fingerprint)

    assert same.fingerprint == other.fingerprint
    assert same.content_sha256 == THREE.content_sha256 != other.content_sha256


def test_some_are_taken_in_the_order_asked():
    some = THREE.take([2, 0])

    assert (some.titles, some.label_ids.tolist()) == (["高考", "股市"], [1, 0])
    assert some.labels is LABELS
    assert some.fingerprint == Fingerprint("three.txt", 2, some.content_sha256)
    assert len(THREE.take([])) == 0


def test_unlabelled_titles_come_behind_the_labelled():
    more = THREE.with_unlabelled(["楼市", "游戏"])

    assert more.titles == ["股市", "球队", "高考", "楼市", "游戏"]
    assert more.label_ids.tolist() == [0, 1, 1, NO_LABEL, NO_LABEL]
    assert more.label_ids.dtype == np.int64
    assert len(THREE) == 3


def test_where_labels_are_needed_the_first_missing_one_is_named():
    THREE.require_labels()

    with pytest.raises(DataError) as caught:
        THREE.with_unlabelled(["楼市"]).require_labels()

    assert str(caught.value) == (
        "three.txt: title 3 (counted from 0) has no label; leave it out or give it one"
    )


def test_titles_that_no_encoding_holds_have_a_hash_too():
    assert len(LabelledTitles.of(["half a pair \ud83d"], [0], LABELS).content_sha256) == 64


@pytest.mark.parametrize("label_ids", [[0, 1], [1, 0, 1]])
def test_titles_of_two_classes_can_be_learned_from(label_ids: list[int]):
    LabelledTitles.of("abc"[: len(label_ids)], label_ids, LABELS).require_two_classes()


@pytest.mark.parametrize(
    ("label_ids", "message"),
    [
        ([0, NO_LABEL], r"titles: title 1 \(counted from 0\) has no label"),
        ([1, 1], r"titles: the training titles are of 1 class\(es\)"),
        ([], r"titles: the training titles are of 0 class\(es\)"),
    ],
)
def test_titles_of_one_class_and_without_label_cannot(label_ids: list[int], message: str):
    with pytest.raises(DataError, match=message):
        LabelledTitles.of("ab"[: len(label_ids)], label_ids, LABELS).require_two_classes()
