import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from baselines.features import title_columns
from baselines.nearest import FLOOR, SHARPNESS, NearestSettings, train_nearest
from models.errors import UsageError

SETTINGS = NearestSettings(table_bits=12, neighbours=5)


def test_the_nearest_titles_vote_with_the_fourth_power_of_their_similarity(
    titles, label_ids, labels
):
    model = train_nearest(titles, label_ids, labels, SETTINGS)
    title = "晚间股市比赛"

    vectors = model.pipeline[0].transform(title_columns([title, *titles]))
    similarity = cosine_similarity(vectors[:1], vectors[1:])[0]
    nearest = np.argsort(-similarity, kind="stable")[:5]
    votes = np.full(3, FLOOR)
    for row in nearest:
        votes[label_ids[row]] += similarity[row] ** SHARPNESS

    assert model.predict_proba([title])[0] == pytest.approx(votes / votes.sum(), abs=1e-5)


def test_a_title_that_was_seen_is_answered_with_its_label(titles, label_ids, labels):
    model = train_nearest(titles, label_ids, labels, NearestSettings(table_bits=12, neighbours=1))

    assert model.predict_proba(titles).argmax(axis=1).tolist() == label_ids
    assert model.predict_proba(titles).max(axis=1) == pytest.approx(
        np.full(len(titles), (1 + FLOOR) / (1 + 3 * FLOOR)), abs=1e-5
    )


def test_a_title_like_none_is_left_open(titles, label_ids, labels):
    model = train_nearest(titles, label_ids, labels, SETTINGS)

    assert model.predict_proba(["鑫淼焱"])[0] == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_more_neighbours_than_titles_are_all_of_them(titles, label_ids, labels):
    model = train_nearest(
        titles[::8], label_ids[::8], labels, NearestSettings(table_bits=12, neighbours=500)
    )

    assert model.predict_proba(["股市"]).sum() == pytest.approx(1.0)


def test_no_neighbours_are_refused():
    with pytest.raises(UsageError, match="neighbours must be at least 1"):
        NearestSettings(neighbours=0)
