from collections.abc import Callable

import pytest
import torch

from models.errors import UsageError
from models.labels import Labels
from models.student import StudentClassifier
from training.compression.averaging import average
from training.compression.student_start import with_dropout


def test_every_weight_is_the_mean(make_student: Callable[..., StudentClassifier]):
    students = [make_student(reads_width=True) for _ in range(3)]
    for factor, student in zip((1, 2, 6), students, strict=True):
        for weight in student.network.parameters():
            weight.data *= factor

    mean = average(students)

    for (name, found), weight in zip(
        mean.network.state_dict().items(), students[0].network.state_dict().values(), strict=True
    ):
        torch.testing.assert_close(found, weight * 3, msg=name)
    assert mean.predict_proba(["股市今日涨"]).shape == (1, 3)


def test_the_mean_of_one_with_itself_scores_alike(tiny_student: StudentClassifier):
    titles = ["股市今日涨", "球队比赛", "大学生"]

    found = average([tiny_student, tiny_student]).predict_logits(titles)

    assert found == pytest.approx(tiny_student.predict_logits(titles), abs=1e-6)


def test_how_much_was_left_out_in_training_is_no_difference(tiny_student: StudentClassifier):
    other = with_dropout(tiny_student, 0.3)
    assert other.config != tiny_student.config
    titles = ["股市今日涨", "球队比赛"]

    found = average([other, tiny_student]).predict_logits(titles)

    assert found == pytest.approx(tiny_student.predict_logits(titles), abs=1e-6)


def test_what_does_not_fit_together_is_refused(make_student: Callable[..., StudentClassifier]):
    first, wider, other = make_student(), make_student(sizes=((4, 96),) * 3), make_student()
    other.labels = Labels(("a", "b", "c"), ("A", "B", "C"))
    cut = make_student()
    cut.tokenizer.tokenizer.add_tokens(["新"])

    with pytest.raises(UsageError, match="model 2 has other layers or sizes than the first"):
        average([first, wider])
    with pytest.raises(UsageError, match="model 3 has other classes"):
        average([first, first, other])
    with pytest.raises(UsageError, match="model 2 has other pieces"):
        average([first, cut])
