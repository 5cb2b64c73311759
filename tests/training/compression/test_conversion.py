import shutil
from pathlib import Path

import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import UsageError
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.conversion import as_student
from training.compression.quantization import to_int8

TITLES = ["股市今日涨幅", "a", "球队比赛冠军高考录取分数", "", "🙂", "股" * 40]


def test_a_fine_tuned_encoder_becomes_a_student_that_scores_alike(
    tmp_path: Path, tiny_classifier: EncoderClassifier, three_topics: LabelledTitles
):
    artifact.save(tiny_classifier, tmp_path / "encoder")

    student = as_student(artifact.load(tmp_path / "encoder"))

    for titles in (TITLES, three_topics.titles):
        expected = tiny_classifier.predict_logits(titles)
        assert student.predict_logits(titles) == pytest.approx(expected, abs=1e-5)
    assert (student.score(TITLES).truncated == tiny_classifier.score(TITLES).truncated).all()
    assert student.max_length == student.config.max_positions == 16
    assert student.labels == tiny_classifier.labels


def test_the_student_of_an_encoder_is_made_of_what_is_loaded_and_reads_no_file(
    tmp_path: Path, tiny_classifier: EncoderClassifier
):
    artifact.save(tiny_classifier, tmp_path / "encoder")
    model = artifact.load(tmp_path / "encoder")
    expected = model.uncalibrated.predict_logits(TITLES)
    shutil.rmtree(tmp_path / "encoder")

    assert as_student(model).predict_logits(TITLES) == pytest.approx(expected, abs=1e-5)


def test_student_and_encoder_do_not_share_a_tokenizer(
    tmp_path: Path, tiny_classifier: EncoderClassifier
):
    """The encoder's is set to cut titles whenever it is used."""
    artifact.save(tiny_classifier, tmp_path / "encoder")
    model = artifact.load(tmp_path / "encoder")
    student = as_student(model)

    model.predict_proba(TITLES)

    assert student.score(["股" * 14, "股" * 15]).truncated.tolist() == [False, True]


def test_the_student_of_an_encoder_can_be_saved(tmp_path: Path, tiny_classifier: EncoderClassifier):
    artifact.save(tiny_classifier, tmp_path / "encoder")
    student = as_student(artifact.load(tmp_path / "encoder"))
    artifact.save(student, tmp_path / "student")

    loaded = artifact.load(tmp_path / "student")

    assert (loaded.uncalibrated.predict_proba(TITLES) == student.predict_proba(TITLES)).all()


def test_a_student_is_taken_as_it_is(tmp_path: Path, tiny_student: StudentClassifier):
    artifact.save(tiny_student, tmp_path / "student")
    model = artifact.load(tmp_path / "student")

    assert as_student(model) is model.uncalibrated


def test_a_model_without_a_transformer_in_floats_is_refused(
    tmp_path: Path, tiny_student: StudentClassifier
):
    artifact.save(to_int8(tiny_student), tmp_path / "int8")

    with pytest.raises(UsageError, match="is a model of the route 'student-int8'; only 'encoder'"):
        as_student(artifact.load(tmp_path / "int8"))
