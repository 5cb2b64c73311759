"""What every baseline promises, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from baselines.fasttext import train_fasttext
from baselines.fasttext_settings import FastTextSettings
from baselines.linear import LinearSettings, train_linear
from baselines.nearest import NearestSettings, train_nearest
from baselines.sklearn_route import SklearnClassifier
from baselines.tfidf_forest import ForestSettings, train_forest
from models import artifact
from models.errors import CorruptArtifact
from models.labels import Labels
from titles import LabelledTitles


def _forest(examples: LabelledTitles) -> artifact.Route:
    settings = ForestSettings(trees=40, selected_features=200, table_bits=12, jobs=1)
    return train_forest(examples, settings)


def _linear(examples: LabelledTitles) -> artifact.Route:
    return train_linear(examples, LinearSettings(table_bits=12))


def _nearest(examples: LabelledTitles) -> artifact.Route:
    return train_nearest(examples, NearestSettings(table_bits=12))


def _fasttext(examples: LabelledTitles) -> artifact.Route:
    settings = FastTextSettings(epochs=20)
    return train_fasttext(examples, settings=settings)


TRAINERS = {"forest": _forest, "linear": _linear, "nearest": _nearest, "fasttext": _fasttext}
MODEL_FILES = dict.fromkeys(TRAINERS, "model.skops") | {"fasttext": "model.bin"}
Trainer = Callable[[LabelledTitles], artifact.Route]


@pytest.fixture(scope="module", params=sorted(TRAINERS))
def trainer(request: pytest.FixtureRequest) -> Trainer:
    return TRAINERS[request.param]


@pytest.fixture(scope="module")
def model(examples, trainer: Trainer) -> artifact.Route:
    return trainer(examples)


def test_it_is_a_route(model):
    assert isinstance(model, artifact.Route)
    assert artifact.find_route(model.route) is type(model)
    assert model.max_length is None


def test_it_learns_what_it_is_shown(model, titles, label_ids):
    assert (model.predict_proba(titles).argmax(axis=1) == label_ids).all()


def test_it_recognises_titles_it_has_not_seen(model):
    unseen = ["晚间股市收盘上涨", "青年球队主场夺冠", "各省高考录取分数线"]
    assert model.predict_proba(unseen).argmax(axis=1).tolist() == [0, 1, 2]


def test_probabilities_sum_to_one_for_odd_titles_too(model, titles, odd_titles):
    scores = model.predict_proba(titles + odd_titles)

    assert scores.dtype == np.float32
    assert scores.shape == (len(titles) + len(odd_titles), 3)
    assert (scores >= 0).all()
    assert scores.sum(axis=1) == pytest.approx(np.ones(len(scores)), abs=1e-5)


def test_a_title_scores_the_same_alone_and_among_others(model, titles, odd_titles):
    together = model.predict_proba(odd_titles + titles)
    alone = np.concatenate([model.predict_proba([title]) for title in odd_titles])

    assert together[: len(odd_titles)] == pytest.approx(alone, abs=1e-6)


def test_more_titles_than_are_scored_at_once_keep_their_order(model, titles, monkeypatch):
    expected = model.predict_proba(titles)
    monkeypatch.setattr("baselines.fasttext._TITLES_AT_ONCE", 7)
    if isinstance(model, SklearnClassifier):
        monkeypatch.setattr(type(model), "titles_at_once", 7)

    assert model.predict_proba(titles) == pytest.approx(expected, abs=1e-6)


def test_no_titles_give_no_rows(model):
    assert model.predict_proba([]).shape == (0, 3)
    assert model.predict_proba([]).dtype == np.float32
    assert model.score([]).truncated.tolist() == []


def test_no_title_is_truncated(model):
    assert model.score(["短", "长" * 5000]).truncated.tolist() == [False, False]


def test_training_again_gives_the_same_model(model, trainer, examples, titles):
    again = trainer(examples)

    assert (again.predict_proba(titles) == model.predict_proba(titles)).all()


def test_a_class_without_titles_gets_probability_zero(trainer, titles, label_ids):
    four = Labels.of(["game", "stocks", "sports", "education"])

    shifted = LabelledTitles.of(titles, [label_id + 1 for label_id in label_ids], four)
    scores = trainer(shifted).predict_proba(titles)

    assert scores.shape == (len(titles), 4)
    assert (scores[:, 0] == 0).all()
    assert (scores.argmax(axis=1) - 1 == label_ids).all()


def test_two_classes_are_enough(trainer, titles, label_ids):
    two = Labels.of(["stocks", "sports"])
    rows = [i for i, label_id in enumerate(label_ids) if label_id < 2]
    chosen, ids = [titles[i] for i in rows], [label_ids[i] for i in rows]

    scores = trainer(LabelledTitles.of(chosen, ids, two)).predict_proba(chosen)

    assert scores.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert (scores.argmax(axis=1) == ids).all()


def test_saved_and_loaded_it_scores_identically(model, titles, odd_titles, tmp_path: Path):
    artifact.save(model, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model")

    assert type(loaded.uncalibrated) is type(model)
    everything = titles + odd_titles
    scores = loaded.uncalibrated.predict_proba(everything)
    assert (scores == model.predict_proba(everything)).all()


def test_nothing_is_pickled(model, tmp_path: Path):
    model.save_files(tmp_path)

    assert all(path.suffix in {".skops", ".bin", ".json"} for path in tmp_path.iterdir())
    for path in tmp_path.glob("*.skops"):
        assert _members(path) <= {".json", ".npy", ".npz"}


def _members(path: Path) -> set[str]:
    import zipfile

    return {Path(name).suffix for name in zipfile.ZipFile(path).namelist()}


def test_a_changed_file_is_refused(model, tmp_path: Path):
    artifact.save(model, tmp_path / "model")
    path = tmp_path / "model" / MODEL_FILES[model.route]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)

    with pytest.raises(CorruptArtifact, match="is not the file that was saved"):
        artifact.load(tmp_path / "model")


@pytest.mark.parametrize("content", [b"", b"not a model", b"PK\x03\x04 half a zip"])
def test_a_file_that_is_no_model_is_refused(model, labels, tmp_path: Path, content: bytes):
    model.save_files(tmp_path)
    (tmp_path / MODEL_FILES[model.route]).write_bytes(content)

    with pytest.raises(CorruptArtifact, match="train it again"):
        type(model).load_files(tmp_path, labels, None)


def test_a_missing_file_is_refused(model, labels, tmp_path: Path):
    with pytest.raises(CorruptArtifact, match=MODEL_FILES[model.route]):
        type(model).load_files(tmp_path, labels, None)


def test_a_model_of_more_classes_than_labels_is_refused(model, tmp_path: Path):
    model.save_files(tmp_path)

    with pytest.raises(CorruptArtifact, match="do not fit 2"):
        type(model).load_files(tmp_path, Labels.of(["stocks", "sports"]), None)
