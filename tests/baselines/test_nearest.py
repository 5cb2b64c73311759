import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from baselines.features import title_columns
from baselines.nearest import (
    FLOOR,
    SHARPNESS,
    NearestClassifier,
    NearestSettings,
    train_nearest,
)
from models.errors import CorruptArtifact

SETTINGS = NearestSettings(table_bits=12)


def test_titles_vote_with_the_sixth_power_of_their_similarity(examples, titles, label_ids):
    model = train_nearest(examples, SETTINGS)
    title = "晚间股市比赛"

    vectors = model.pipeline[0].transform(title_columns([title, *titles]))
    weights = cosine_similarity(vectors[:1], vectors[1:])[0] ** SHARPNESS
    shares = np.bincount(label_ids, weights) / weights.sum()

    expected = (shares + FLOOR) / (1 + 3 * FLOOR)
    assert SHARPNESS == 6
    assert model.predict_proba([title])[0] == pytest.approx(expected, abs=1e-5)


def test_a_title_that_was_seen_is_answered_with_its_label(examples, titles, label_ids):
    model = train_nearest(examples, SETTINGS)

    scores = model.predict_proba(titles)

    assert scores.argmax(axis=1).tolist() == label_ids
    assert scores.max(axis=1).min() > 0.8


def test_a_title_like_none_is_left_open(examples):
    model = train_nearest(examples, SETTINGS)

    assert model.predict_proba(["鑫淼焱"])[0] == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_titles_are_asked_in_blocks_without_a_difference(examples, titles, monkeypatch):
    model = train_nearest(examples, SETTINGS)
    expected = model.predict_proba(titles)

    monkeypatch.setattr(NearestClassifier, "titles_at_once", 5)

    assert model.predict_proba(titles) == pytest.approx(expected, abs=1e-6)


def test_a_memory_without_as_many_labels_as_titles_is_refused(examples, labels, tmp_path):
    model = train_nearest(examples, SETTINGS)
    model.pipeline[-1]._y = model.pipeline[-1]._y[1:]
    model.save_files(tmp_path)

    with pytest.raises(CorruptArtifact, match="48 titles have 47 labels"):
        NearestClassifier.load_files(tmp_path, labels, None)
