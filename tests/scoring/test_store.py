from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import LoadedModel, Manifest
from models.classifier import Scores
from models.ensemble import EnsembleClassifier
from models.student import StudentClassifier
from scoring import store as module
from scoring.score_table import ScoreTable
from scoring.store import ScoreStore

TITLES = [f"股市 {letter}" for letter in "abcdefghij"]


class Interrupted(Exception):
    pass


@dataclass(frozen=True)
class Unopened:
    """A model known by its manifest."""

    folder: Path
    manifest: Manifest

    def open(self) -> LoadedModel:
        return artifact.load(self.folder)


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
def store(tmp_path: Path) -> ScoreStore:
    return ScoreStore(tmp_path / "scores")


@pytest.fixture
def teacher(
    tmp_path: Path, tiny_student: StudentClassifier, monkeypatch: pytest.MonkeyPatch
) -> LoadedModel:
    monkeypatch.setattr(module, "CHUNK", 4)
    artifact.save(tiny_student, tmp_path / "teacher", temperature=2.0)
    loaded = artifact.load(tmp_path / "teacher")
    loaded.uncalibrated = Counting(loaded.uncalibrated)
    return loaded


def test_raw_scores_are_those_before_calibration(store: ScoreStore, teacher: LoadedModel):
    raw = store.raw(teacher, TITLES, False)

    route: StudentClassifier = teacher.uncalibrated.route
    assert raw.dtype == np.float32
    np.testing.assert_allclose(raw, route.predict_proba(TITLES), atol=1e-6)
    np.testing.assert_allclose(
        store.calibrated(teacher, TITLES, False), teacher.predict_proba(TITLES), atol=1e-6
    )


def test_titles_are_scored_once(store: ScoreStore, teacher: LoadedModel):
    first = store.find(teacher, TITLES, False)
    second = ScoreStore(store.folder).find(teacher, TITLES, False)

    assert teacher.uncalibrated.scored == [4, 4, 2]
    assert first.raw.tobytes() == second.raw.tobytes()
    assert (first.scored, second.scored, second.seconds) == (10, 0, 0.0)
    assert first.seconds > 0


def test_an_interrupted_scoring_goes_on(store: ScoreStore, teacher: LoadedModel):
    teacher.uncalibrated.interrupt_at = 3
    with pytest.raises(Interrupted):
        store.raw(teacher, TITLES, False)

    teacher.uncalibrated.interrupt_at = None
    found = store.find(teacher, TITLES, False)

    assert teacher.uncalibrated.scored == [4, 4, 2]
    assert found.scored == 2
    expected = teacher.uncalibrated.route.predict_proba(TITLES)
    np.testing.assert_allclose(found.raw, expected, atol=1e-6)


def test_scores_are_written_while_scoring_goes_on(
    store: ScoreStore, teacher: LoadedModel, monkeypatch: pytest.MonkeyPatch
):
    """So often here that no chunk would be lost if the process were killed."""
    monkeypatch.setattr(module, "WRITE_EVERY_S", 0.0)
    writes: list[int] = []
    original = ScoreTable.write

    def spy(self: ScoreTable, keys: list[bytes], scores: Scores) -> None:
        writes.append(len(keys))
        original(self, keys, scores)

    monkeypatch.setattr(ScoreTable, "write", spy)

    store.raw(teacher, TITLES, False)

    assert writes == [4, 4, 2, 0]


def test_titles_among_others_are_known_and_new_ones_are_scored_once(
    store: ScoreStore, teacher: LoadedModel
):
    first = store.raw(teacher, TITLES, False)

    second = store.raw(teacher, ["球队夺冠", *TITLES[::-1], TITLES[0], "球队夺冠"], False)

    assert teacher.uncalibrated.scored == [4, 4, 2, 1]
    assert (second[1:11] == first[::-1]).all()
    assert (second[11] == first[0]).all()
    assert (second[12] == second[0]).all()


def test_another_version_is_asked_anew(tmp_path: Path, store: ScoreStore, teacher: LoadedModel):
    store.raw(teacher, TITLES, False)

    route: StudentClassifier = teacher.uncalibrated.route
    artifact.save(route, tmp_path / "teacher", temperature=1.0)
    other = artifact.load(tmp_path / "teacher")

    assert store.find(other, TITLES, False).scored == len(TITLES)


def test_the_same_version_run_otherwise_is_asked_anew(store: ScoreStore, teacher: LoadedModel):
    store.raw(teacher, TITLES, False)
    manifest = replace(teacher.manifest, route="transformers.pipeline")
    reference = LoadedModel(teacher.folder, manifest, teacher.uncalibrated)

    assert store.find(reference, TITLES, False).scored == len(TITLES)


def test_files_of_earlier_revisions_are_not_taken_for_raw_scores(
    store: ScoreStore, teacher: LoadedModel
):
    """They held calibrated logarithms, as VERSION.sqlite in the same folder."""
    store.folder.mkdir()
    old = store.folder / f"{teacher.manifest.version}.sqlite"
    old.write_bytes(b"not read")

    assert store.find(teacher, TITLES, False).scored == len(TITLES)
    assert old.read_bytes() == b"not read"


def test_no_titles_give_no_rows(store: ScoreStore, teacher: LoadedModel):
    assert store.raw(teacher, [], False).shape == (0, 3)


def test_a_model_is_opened_only_where_a_score_is_missing(
    store: ScoreStore, teacher: LoadedModel, monkeypatch: pytest.MonkeyPatch
):
    unopened = Unopened(teacher.folder, teacher.manifest)
    first = store.raw(unopened, TITLES, False)
    monkeypatch.setattr(Unopened, "open", lambda self: pytest.fail("opened again"))

    assert (store.raw(unopened, TITLES[::-1], False) == first[::-1]).all()


@pytest.fixture
def ensemble(tmp_path: Path, teacher: LoadedModel) -> LoadedModel:
    artifact.save(teacher.uncalibrated.route, tmp_path / "other", temperature=0.5)
    other = artifact.load(tmp_path / "other")
    both = EnsembleClassifier({"known": teacher, "other": other}, [0.7, 0.3])
    artifact.save(both, tmp_path / "both", temperature=1.5)
    loaded = artifact.load(tmp_path / "both")
    for member in loaded.uncalibrated.members.values():
        member.uncalibrated = Counting(member.uncalibrated)
    return loaded


def test_an_ensemble_asks_only_the_members_that_have_not_scored_the_titles(
    store: ScoreStore, teacher: LoadedModel, ensemble: LoadedModel
):
    store.raw(teacher, TITLES, False)

    found = store.find(ensemble, TITLES, False)

    known, other = ensemble.uncalibrated.members.values()
    assert known.uncalibrated.scored == []
    assert other.uncalibrated.scored == [4, 4, 2]
    assert found.scored == len(TITLES)
    np.testing.assert_allclose(
        store.calibrated(ensemble, TITLES, False), ensemble.predict_proba(TITLES), atol=1e-6
    )


def test_an_ensemble_is_opened_only_where_a_score_is_missing(
    store: ScoreStore, ensemble: LoadedModel, monkeypatch: pytest.MonkeyPatch
):
    first = store.raw(ensemble, TITLES, False)
    monkeypatch.setattr(Unopened, "open", lambda self: pytest.fail("opened"))

    found = store.find(Unopened(ensemble.folder, ensemble.manifest), TITLES, False)

    assert (found.raw == first).all()


def test_an_ensemble_of_models_that_know_all_titles_scores_none(
    store: ScoreStore, ensemble: LoadedModel
):
    for member in ensemble.uncalibrated.members.values():
        store.raw(member, TITLES, False)

    assert store.find(ensemble, TITLES, False).scored == 0
