from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import LoadedModel
from models.classifier import Scores
from models.ensemble import EnsembleClassifier
from models.errors import DataError
from models.student import StudentClassifier
from scoring import store as module
from scoring.store import cached_log_probabilities

TITLES = [f"股市 {letter}" for letter in "abcdefghij"]


class Interrupted(Exception):
    pass


class Counting:
    """A route that counts the titles it scores, and is interrupted at a call."""

    def __init__(self, route: StudentClassifier, interrupt_at: int | None = None):
        self.route, self.labels, self.interrupt_at = route, route.labels, interrupt_at
        self.scored: list[int] = []

    def score(self, titles: list[str]) -> Scores:
        if len(self.scored) + 1 == self.interrupt_at:
            raise Interrupted
        self.scored.append(len(titles))
        return self.route.score(titles)

    def predict_proba(self, titles: list[str]) -> np.ndarray:
        return self.score(titles).probabilities


@pytest.fixture
def teacher(
    tmp_path: Path, tiny_student: StudentClassifier, monkeypatch: pytest.MonkeyPatch
) -> LoadedModel:
    monkeypatch.setattr(module, "CHUNK", 4)
    artifact.save(tiny_student, tmp_path / "teacher", temperature=2.0)
    loaded = artifact.load(tmp_path / "teacher")
    loaded.uncalibrated = Counting(loaded.uncalibrated)
    return loaded


def test_scores_are_the_calibrated_log_probabilities(tmp_path: Path, teacher: LoadedModel):
    scores = cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    assert scores.dtype == np.float32
    assert np.exp(scores) == pytest.approx(teacher.predict_proba(TITLES), abs=1e-6)


def test_titles_are_scored_once(tmp_path: Path, teacher: LoadedModel):
    first = cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)
    second = cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    assert teacher.uncalibrated.scored == [4, 4, 2]
    assert (first == second).all()


def test_an_interrupted_scoring_goes_on(tmp_path: Path, teacher: LoadedModel):
    teacher.uncalibrated.interrupt_at = 3
    with pytest.raises(Interrupted):
        cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    teacher.uncalibrated.interrupt_at = None
    scores = cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    assert teacher.uncalibrated.scored == [4, 4, 2]
    assert np.exp(scores) == pytest.approx(teacher.predict_proba(TITLES), abs=1e-5)


def test_titles_among_others_are_known_and_new_ones_are_scored(
    tmp_path: Path, teacher: LoadedModel
):
    first = cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)
    mixed = ["球队夺冠", *TITLES[::-1], TITLES[0]]

    second = cached_log_probabilities(teacher, mixed, tmp_path / "cache", False)

    assert teacher.uncalibrated.scored == [4, 4, 2, 1]
    assert (second[1:-1] == first[::-1]).all()
    assert (second[-1] == first[0]).all()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path, teacher: LoadedModel):
    path = tmp_path / f"{teacher.manifest.version}.sqlite"
    path.write_text("something else, and long enough to be taken for a page" * 100)

    with pytest.raises(DataError, match=rf"{path.name}.*remove it"):
        cached_log_probabilities(teacher, TITLES, tmp_path, False)


def test_another_teacher_is_asked_anew(tmp_path: Path, teacher: LoadedModel):
    cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    route: StudentClassifier = teacher.uncalibrated.route
    artifact.save(route, tmp_path / "teacher", temperature=1.0)
    other = artifact.load(tmp_path / "teacher")
    scores = cached_log_probabilities(other, TITLES, tmp_path / "cache", False)
    assert np.exp(scores) == pytest.approx(route.predict_proba(TITLES), abs=1e-6)


def test_no_titles_give_no_rows(tmp_path: Path, teacher: LoadedModel):
    assert cached_log_probabilities(teacher, [], tmp_path / "cache", False).shape == (0, 3)


def test_an_ensemble_asks_only_the_members_that_have_not_scored_the_titles(
    tmp_path: Path, teacher: LoadedModel
):
    route: StudentClassifier = teacher.uncalibrated.route
    artifact.save(route, tmp_path / "other", temperature=0.5)
    other = artifact.load(tmp_path / "other")
    both = EnsembleClassifier({"known": teacher, "other": other}, [0.7, 0.3])
    artifact.save(both, tmp_path / "both", temperature=1.5)
    ensemble = artifact.load(tmp_path / "both")
    known = ensemble.uncalibrated.members["known"]
    known.uncalibrated = Counting(known.uncalibrated)
    cached_log_probabilities(teacher, TITLES, tmp_path / "cache", False)

    scores = cached_log_probabilities(ensemble, TITLES, tmp_path / "cache", False)

    assert known.uncalibrated.scored == []
    assert np.exp(scores) == pytest.approx(ensemble.predict_proba(TITLES), abs=1e-6)
