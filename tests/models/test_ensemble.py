import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import LoadedModel, Provenance
from models.encoder import EncoderClassifier
from models.ensemble import LEAST, EnsembleClassifier, name_members, pool
from models.errors import CorruptArtifact, UsageError
from models.labels import Labels
from models.student import StudentClassifier

TITLES = ["股市今日涨幅", "a", "球队比赛冠军高考录取分数", "股" * 40]


@pytest.fixture
def members(
    tmp_path: Path, tiny_classifier: EncoderClassifier, tiny_student: StudentClassifier
) -> dict[str, LoadedModel]:
    artifact.save(tiny_classifier, tmp_path / "encoder", temperature=2.0)
    artifact.save(tiny_student, tmp_path / "student", temperature=0.5)
    return {name: artifact.load(tmp_path / name) for name in ("encoder", "student")}


def test_the_pool_is_the_normalised_product_of_powers():
    scores = np.array([[[0.5, 0.4, 0.1]], [[0.2, 0.2, 0.6]]])

    pooled = pool(np.log(scores), [0.75, 0.25])

    powers = np.array([0.5**0.75 * 0.2**0.25, 0.4**0.75 * 0.2**0.25, 0.1**0.75 * 0.6**0.25])
    assert pooled[0] == pytest.approx(powers / powers.sum(), abs=1e-6)
    assert pooled.dtype == np.float32


def test_no_member_has_a_veto():
    with np.errstate(divide="ignore"):
        log_scores = np.log(np.array([[[1.0, 0.0]], [[0.1, 0.9]]]))

    pooled = pool(log_scores, [0.2, 0.8])

    odds = (1 / LEAST) ** 0.2 * (0.1 / 0.9) ** 0.8
    assert pooled[0, 0] / pooled[0, 1] == pytest.approx(odds, rel=1e-4)
    assert pooled[0, 1] > 0.25


def test_an_ensemble_of_one_is_its_calibrated_member(members: dict[str, LoadedModel]):
    alone = EnsembleClassifier({"encoder": members["encoder"]}, [1.0])

    expected = members["encoder"].predict_proba(TITLES)
    assert alone.predict_proba(TITLES) == pytest.approx(expected, abs=1e-5)


def test_rows_sum_to_one_in_the_titles_order(members: dict[str, LoadedModel]):
    ensemble = EnsembleClassifier(members, [0.3, 0.7])

    scores = ensemble.predict_proba(TITLES)

    assert scores.shape == (4, 3)
    assert scores.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert scores[::-1] == pytest.approx(ensemble.predict_proba(TITLES[::-1]), abs=1e-5)
    assert ensemble.predict_proba([]).shape == (0, 3)


def test_a_title_is_truncated_if_one_member_does_not_see_its_end(members: dict[str, LoadedModel]):
    members["student"].uncalibrated.tokenizer.max_length = 8
    ensemble = EnsembleClassifier(members, [0.5, 0.5])

    truncated = ensemble.score(["股" * 6, "股" * 7, "股" * 15]).truncated
    assert truncated.tolist() == [False, True, True]
    assert ensemble.score([]).truncated.tolist() == []
    assert ensemble.max_length is None


def test_a_saved_ensemble_holds_its_members_and_answers_alike(
    tmp_path: Path, members: dict[str, LoadedModel]
):
    ensemble = EnsembleClassifier(members, [0.3, 0.7])
    artifact.save(ensemble, tmp_path / "both", provenance=Provenance({"name": "made"}))

    loaded = artifact.load(tmp_path / "both")

    assert loaded.manifest.route == "ensemble"
    assert loaded.predict_proba(TITLES) == pytest.approx(ensemble.predict_proba(TITLES), abs=1e-6)
    assert loaded.uncalibrated.weights == (0.3, 0.7)
    encoder = artifact.load(tmp_path / "both" / "members" / "encoder")
    assert encoder.manifest == members["encoder"].manifest


def test_a_changed_member_is_refused(tmp_path: Path, members: dict[str, LoadedModel]):
    artifact.save(EnsembleClassifier(members, [0.5, 0.5]), tmp_path / "both")
    (tmp_path / "both" / "members" / "student" / "extra.txt").write_text("x")

    with pytest.raises(CorruptArtifact, match=r"extra\.txt is not listed"):
        artifact.load(tmp_path / "both")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"weights": {"../../encoder": 1.0}}, "cannot be the name of a member's folder"),
        ({"weights": {"encoder": 0.4, "student": 0.4}}, "2 models need as many shares of 1"),
        ({"weights": {"encoder": -1.0, "student": 2.0}}, "2 models need as many shares of 1"),
        ({"weights": {}}, "an ensemble needs at least one model"),
        ({}, "KeyError|'weights'"),
    ],
)
def test_a_config_that_cannot_be_used_is_refused(
    tmp_path: Path,
    members: dict[str, LoadedModel],
    three_labels: Labels,
    content: dict,
    message: str,
):
    folder = tmp_path / "both"
    folder.mkdir()
    EnsembleClassifier(members, [0.5, 0.5]).save_files(folder)
    (folder / "ensemble.json").write_text(json.dumps(content))

    with pytest.raises(CorruptArtifact, match=message):
        EnsembleClassifier.load_files(folder, three_labels, None)


def test_members_of_other_classes_are_refused(
    members: dict[str, LoadedModel], make_student: Callable[..., StudentClassifier], tmp_path: Path
):
    other = make_student()
    other.labels = Labels.of(["sports", "stocks", "education"])
    artifact.save(other, tmp_path / "other")

    with pytest.raises(UsageError, match="'other' has the classes sports, stocks, education, but"):
        EnsembleClassifier({**members, "other": artifact.load(tmp_path / "other")}, [0.3, 0.3, 0.4])


def test_the_route_is_imported_without_torch():
    program = "import sys, models.ensemble; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.stdout == "False\n", run.stderr


def test_models_of_one_name_are_told_apart(members: dict[str, LoadedModel]):
    model = members["student"]
    other = LoadedModel(model.folder, replace(model.manifest, name="other"), model.uncalibrated)

    named = name_members([model, other, model, model])

    assert list(named) == ["student", "other", "student-2", "student-3"]
