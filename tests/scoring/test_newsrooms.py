"""What a model is worth in each newsroom: worked numbers, and scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from models.labels import Labels
from scoring import newsrooms
from scoring.threshold import threshold_for
from titles import LabelledTitles
from titles.newsroom_labels import NewsroomLabel, NewsroomLabels

LABELS = Labels.of(["finance", "stocks", "realty"])
KINDS = (
    NewsroomLabel("tt", "money", (0, 1)),
    NewsroomLabel("tt", "house", (2,)),
    NewsroomLabel("tt", "cars", ()),
    NewsroomLabel("sina", "finance", (0,)),
)


def titles_of(kinds: list[int]) -> LabelledTitles:
    labels = NewsroomLabels(KINDS, np.array(kinds))
    texts = [f"title {i}" for i in range(len(kinds))]
    return LabelledTitles.of(texts, labels.class_ids(), LABELS, "mixed", labels)


TITLES = titles_of([0, 0, 0, 1, 2, 2, 3, 3])
SCORES = np.array(
    [
        [0.8, 0.1, 0.1],  # money: right
        [0.2, 0.7, 0.1],  # money: right
        [0.2, 0.2, 0.6],  # money: wrong
        [0.3, 0.2, 0.5],  # house: right
        [0.4, 0.3, 0.3],  # cars
        [0.95, 0.03, 0.02],  # cars, and sure
        [0.9, 0.05, 0.05],  # finance: right
        [0.1, 0.9, 0.0],  # finance: wrong
    ],
    np.float32,
)


def test_a_label_counts_as_much_as_any_other_and_a_newsroom_too():
    tt, sina = newsrooms.newsroom_scores(SCORES, TITLES)

    assert (tt.newsroom, tt.titles, tt.outside) == ("tt", 4, 2)
    assert tt.accuracy == pytest.approx(3 / 4)
    assert tt.macro_recall == pytest.approx((2 / 3 + 1) / 2)
    assert (sina.newsroom, sina.titles, sina.outside) == ("sina", 2, 0)
    assert sina.accuracy == sina.macro_recall == pytest.approx(0.5)
    assert newsrooms.mean_of_recalls([tt, sina]) == pytest.approx((5 / 6 + 1 / 2) / 2)


def test_confidence_tells_titles_in_scope_from_those_outside():
    tt, sina = newsrooms.newsroom_scores(SCORES, TITLES)

    known, outside = [0.8, 0.7, 0.6, 0.5], [0.4, 0.95]
    expected = roc_auc_score([1] * 4 + [0] * 2, known + outside)
    assert tt.outside_auroc == pytest.approx(expected) == pytest.approx(0.5)
    assert tt.outside_sure == pytest.approx(0.5)
    assert (sina.outside_auroc, sina.outside_sure) == (None, None)


def test_calibration_is_of_the_titles_in_scope():
    """Each title is in a bin of its own: 0.2, 0.3, 0.6 and 0.5 from being right."""
    tt, sina = newsrooms.newsroom_scores(SCORES, TITLES)

    assert tt.calibration_error == pytest.approx((0.2 + 0.3 + 0.6 + 0.5) / 4, abs=1e-6)
    assert sina.calibration_error == pytest.approx(abs(0.9 - 0.5), abs=1e-6)


def test_a_newsroom_of_titles_outside_has_no_recall():
    titles = titles_of([2, 2])

    (row,) = newsrooms.newsroom_scores(SCORES[4:6], titles)

    assert (row.titles, row.accuracy, row.macro_recall, row.calibration_error) == (
        0, None, None, None
    )  # fmt: skip
    assert row.outside_sure == pytest.approx(0.5)


def test_titles_without_a_label_count_nowhere():
    more = TITLES.with_unlabelled(["新"])

    found = newsrooms.newsroom_scores(np.vstack([SCORES, SCORES[:1]]), more)

    assert found == newsrooms.newsroom_scores(SCORES, TITLES)


@pytest.mark.parametrize("seed", range(5))
def test_the_chance_of_ranking_right_is_scikit_learns(seed: int):
    random = np.random.default_rng(seed)
    higher, lower = random.integers(0, 9, 30) / 8 + 0.2, random.integers(0, 9, 20) / 8

    expected = roc_auc_score([1] * 30 + [0] * 20, np.concatenate([higher, lower]))
    assert newsrooms.auroc(higher, lower) == pytest.approx(expected)


def test_a_newsroom_whose_scores_are_too_sure_gains_by_its_own_temperature():
    titles = titles_of([3] * 200)
    sure = np.tile(np.float32([0.99, 0.005, 0.005]), (200, 1))
    sure[:60] = sure[0, ::-1]  # 30 % of the titles are wrong

    gain = newsrooms.own_temperature_gain(sure, titles)

    assert gain == pytest.approx(0.29, abs=0.01)


def test_the_threshold_is_the_least_at_which_the_precision_is_reached():
    """By confidence: wrong 0.95, then 0.9 right and 0.9 wrong, 0.8 right, 0.7 right, …"""
    single = titles_of([3] * 4)
    scores = np.float32([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.3, 0.7, 0], [0.6, 0.4, 0]])

    assert threshold_for(scores, single, 0.9) == pytest.approx(0.8)
    assert threshold_for(scores, single, 0.75) == pytest.approx(0.6)
    assert threshold_for(scores[2:3], single.take([2]), 0.5) is None


def test_titles_outside_are_never_right_and_equal_confidences_stay_together():
    titles = titles_of([0, 2, 0])
    scores = np.float32([[0.9, 0.1, 0], [0.9, 0.1, 0], [0.5, 0.5, 0]])

    assert threshold_for(scores, titles, 0.6) == pytest.approx(0.5)
    assert threshold_for(scores, titles, 0.7) is None


def test_every_newsroom_counts_alike_for_the_threshold():
    """Of nine titles of one newsroom none is wrong; half of the other's are."""
    titles = titles_of([0] * 9 + [3, 3])
    scores = np.float32([[0.8, 0.2, 0]] * 9 + [[0.9, 0.1, 0], [0.2, 0.8, 0]])

    assert threshold_for(scores, titles, 0.8) == pytest.approx(0.9)
    assert threshold_for(scores, titles, 0.75) == pytest.approx(0.8)


def test_titles_are_weighted_as_in_the_mean_of_the_recalls():
    weights = newsrooms.title_weights(TITLES)

    assert weights.tolist() == pytest.approx([1 / 12] * 3 + [1 / 4, 0, 0] + [1 / 4] * 2)
    right = SCORES.argmax(axis=1) == [0, 1, 0, 2, 0, 0, 0, 0]
    mean = newsrooms.mean_of_recalls(newsrooms.newsroom_scores(SCORES, TITLES))
    assert (weights * right).sum() == pytest.approx(mean)


def test_the_interval_holds_the_mean_and_narrows_with_the_titles():
    few = newsrooms.recall_interval(SCORES, TITLES)
    many_titles = titles_of([0, 0, 0, 1, 2, 2, 3, 3] * 50)
    many = newsrooms.recall_interval(np.tile(SCORES, (50, 1)), many_titles)
    mean = newsrooms.mean_of_recalls(newsrooms.newsroom_scores(SCORES, TITLES))

    assert few[0] < many[0] < mean < many[1] < few[1]
    sure = newsrooms.recall_interval(SCORES[[0, 3, 6]], titles_of([0, 1, 3]))
    assert sure == (1.0, 1.0)


def test_one_title_of_no_class_is_enough_and_a_confidence_of_0_9_is_sure():
    titles = titles_of([0, 2, 3])
    scores = np.array([[0.8, 0.1, 0.1], [0.9, 0.05, 0.05], [0.9, 0.1, 0.0]], np.float32)
    tt, sina = newsrooms.newsroom_scores(scores, titles)
    assert (tt.outside, tt.outside_auroc, tt.outside_sure) == (1, 0.0, 1.0)
    assert (sina.outside, sina.outside_auroc, sina.outside_sure) == (0, None, None)
    scores[1, 0] = 0.899
    assert newsrooms.newsroom_scores(scores, titles)[0].outside_sure == 0.0
