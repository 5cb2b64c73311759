from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import LoadedModel
from models.calibration import log_probabilities
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.distillation import distill
from training.compression.magnitude import prune_magnitude, sparsity
from training.compression.recovery import RecoverySettings
from training.compression.selection import keep_most_important

SETTINGS = RecoverySettings(
    epochs=4,
    batch_size=4,
    learning_rate=3e-3,
    average_decay=0.0,
    evaluations_per_epoch=1,
    precision="fp32",
)


@pytest.fixture
def teacher(tmp_path: Path, make_student: Callable[..., StudentClassifier]) -> LoadedModel:
    artifact.save(make_student(), tmp_path / "teacher")
    return artifact.load(tmp_path / "teacher")


def _recover(cut, teacher, titles, folder: Path, settings=SETTINGS):
    scores = log_probabilities(teacher.predict_proba(titles.titles))
    hidden = teacher.uncalibrated if settings.hidden_weight else None
    return distill(cut, titles, scores, titles, settings, folder / "run", hidden, False)


def test_the_defaults_are_those_of_a_short_training():
    settings = RecoverySettings()

    assert (settings.epochs, settings.learning_rate, settings.alpha) == (2, 5e-5, 0.5)
    assert settings.average_decay == 0.999


def test_a_pruned_student_learns_to_answer_as_its_teacher_did(
    tmp_path: Path, teacher: LoadedModel, three_topics: LabelledTitles
):
    wanted = teacher.predict_proba(three_topics.titles)
    titles = LabelledTitles.of(three_topics.titles, wanted.argmax(axis=1), three_topics.labels)
    cut = keep_most_important(teacher.uncalibrated, titles, heads=2, d_ff=16, layers=2)

    recovered = _recover(cut, teacher, titles, tmp_path, replace(SETTINGS, alpha=0.9)).classifier

    before, after = (
        np.abs(each.predict_proba(titles.titles) - wanted).mean() for each in (cut, recovered)
    )
    assert after < before / 2
    assert recovered.config.layers == cut.config.layers


def test_the_cut_student_given_stays_as_it_is(
    tmp_path: Path, teacher: LoadedModel, three_topics: LabelledTitles
):
    cut = keep_most_important(teacher.uncalibrated, three_topics, heads=2)
    before = cut.predict_logits(three_topics.titles)

    _recover(cut, teacher, three_topics, tmp_path, replace(SETTINGS, epochs=1))

    assert (cut.predict_logits(three_topics.titles) == before).all()


def test_weights_that_were_set_to_zero_stay_zero(
    tmp_path: Path, teacher: LoadedModel, three_topics: LabelledTitles
):
    sparse = prune_magnitude(teacher.uncalibrated, 0.4)
    settings = replace(SETTINGS, epochs=1, average_decay=0.9)

    result = _recover(sparse, teacher, three_topics, tmp_path, settings)

    assert sparsity(result.classifier.network) == pytest.approx(0.4, abs=1e-3)
    moved = result.classifier.predict_logits(three_topics.titles)
    assert np.abs(moved - sparse.predict_logits(three_topics.titles)).max() > 0.01


def test_hidden_states_may_be_matched(
    tmp_path: Path, teacher: LoadedModel, three_topics: LabelledTitles
):
    cut = keep_most_important(teacher.uncalibrated, three_topics, d_ff=16)
    settings = replace(SETTINGS, epochs=1, hidden_weight=1.0)

    result = _recover(cut, teacher, three_topics, tmp_path, settings)

    assert result.classifier.config.layers[0].d_ff == 16
