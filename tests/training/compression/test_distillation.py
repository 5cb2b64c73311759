from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from models.calibration import log_probabilities
from models.errors import UsageError
from models.student import StudentClassifier
from titles import NO_LABEL, LabelledTitles
from training.compression.distillation import (
    DistillationLoss,
    DistillSettings,
    distill,
    soft_loss,
)
from training.compression.student_start import randomised, take_layers

SETTINGS = DistillSettings(
    epochs=4, batch_size=16, learning_rate=2e-3, max_length=16, precision="fp32", patience=9,
    average_decay=0.0,
)  # fmt: skip


class Interrupted(Exception):
    pass


@pytest.fixture(scope="module")
def teacher(
    tmp_path_factory: pytest.TempPathFactory,
    make_student: Callable[..., StudentClassifier],
    three_topics: LabelledTitles,
) -> StudentClassifier:
    """Three layers that have learned the three topics."""
    settings = replace(SETTINGS, alpha=0.0, epochs=16, batch_size=8)
    folder = tmp_path_factory.mktemp("teacher")
    result = distill(
        make_student(), three_topics, None, three_topics, settings, folder, None, False
    )
    return result.classifier


@pytest.fixture(scope="module")
def scores(teacher: StudentClassifier, three_topics: LabelledTitles) -> np.ndarray:
    """What the teacher says of the titles: (36, 3) log-probabilities."""
    return log_probabilities(teacher.predict_proba(three_topics.titles)).astype(np.float32)


@pytest.fixture(scope="module")
def start(teacher: StudentClassifier, three_topics: LabelledTitles) -> StudentClassifier:
    """Two of the teacher's three layers."""
    return take_layers(teacher, [0, 2], None, three_topics)


def divergence(student: StudentClassifier, scores: np.ndarray, titles: list[str]) -> float:
    """KL(teacher ‖ student), the mean over the titles."""
    own = log_probabilities(student.predict_proba(titles))
    return float((np.exp(scores) * (scores - own)).sum(axis=1).mean())


# --- the loss


def test_the_soft_loss_is_the_hand_worked_one():
    """T = 2, z = (2 ln 3, 0), t = (0, 0): p = (1/2, 1/2), q = (3/4, 1/4)."""
    logits, teacher = torch.tensor([[2 * np.log(3), 0.0]]), torch.tensor([[0.0, 0.0]])

    expected = 4 * (0.5 * np.log(0.5 / 0.75) + 0.5 * np.log(0.5 / 0.25))
    assert soft_loss(logits, teacher, 2.0).item() == pytest.approx(expected, abs=1e-6)
    assert expected == pytest.approx(0.575364, abs=1e-6)


@pytest.mark.parametrize("softening", [1.0, 2.0, 5.0])
def test_the_soft_loss_is_torchs_divergence_of_softened_logits(softening: float):
    torch.manual_seed(0)
    logits, teacher = torch.randn(2, 7, 4)

    expected = F.kl_div(
        F.log_softmax(logits / softening, dim=1),
        F.softmax(teacher / softening, dim=1),
        reduction="batchmean",
    )
    found = soft_loss(logits, teacher.log_softmax(dim=1), softening)
    assert found.item() == pytest.approx(softening**2 * expected.item(), abs=1e-6)


def test_the_gradient_of_the_soft_loss_is_of_the_same_size_at_every_softening():
    """In the limit of large T it is (z − t) / classes (Hinton et al. 2015, eq. 4)."""
    logits = torch.tensor([[1.0, -1.0, 0.0]], requires_grad=True)
    teacher = torch.tensor([[0.0, 0.5, -0.5]])

    soft_loss(logits, teacher, 500.0).backward()

    assert logits.grad is not None
    expected = ((logits - teacher) / 3).detach()
    assert logits.grad.tolist()[0] == pytest.approx(expected.tolist()[0], abs=2e-3)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_the_loss_weighs_labels_and_teacher_by_alpha(
    start: StudentClassifier, three_topics: LabelledTitles, scores: np.ndarray, alpha: float
):
    settings = replace(SETTINGS, alpha=alpha, softening=3.0)
    rows = [0, 13, 30]
    examples = three_topics.take(range(24)).with_unlabelled(three_topics.titles[24:])
    loss = DistillationLoss(start, examples, scores, settings)

    with torch.inference_mode():
        found = loss(start.network, rows).item()

    logits = torch.tensor(start.predict_logits([three_topics.titles[i] for i in rows]))
    hard = F.cross_entropy(logits[:2], torch.tensor(examples.label_ids)[rows[:2]], reduction="sum")
    soft = soft_loss(logits, torch.tensor(scores[rows]), 3.0)
    assert found == pytest.approx(((1 - alpha) * hard / 3 + alpha * soft).item(), abs=1e-5)


# --- training


@pytest.mark.parametrize("epochs", [2, 8])
def test_a_student_comes_closer_to_its_teacher_without_any_label(
    tmp_path: Path,
    start: StudentClassifier,
    three_topics: LabelledTitles,
    scores: np.ndarray,
    epochs: int,
):
    settings = replace(SETTINGS, alpha=1.0, epochs=epochs)
    unlabelled = LabelledTitles.of(three_topics.titles, [NO_LABEL] * 36, three_topics.labels)
    before = divergence(start, scores, three_topics.titles)

    result = distill(start, unlabelled, scores, three_topics, settings, tmp_path, None, False)

    after = divergence(result.classifier, scores, three_topics.titles)
    assert after < {2: 1.0, 8: 0.3}[epochs] * before
    assert divergence(start, scores, three_topics.titles) == before  # it stays as it is


def test_the_teachers_layers_are_a_better_start_than_random_weights(
    tmp_path: Path, start: StudentClassifier, three_topics: LabelledTitles, scores: np.ndarray
):
    settings = replace(SETTINGS, alpha=1.0, epochs=2)

    def trained(name: str, network: StudentClassifier) -> float:
        result = distill(
            network, three_topics, scores, three_topics, settings, tmp_path / name, None, False
        )
        return divergence(result.classifier, scores, three_topics.titles)

    assert trained("taken over", start) < 0.7 * trained("random", randomised(start, 13))


def test_without_a_teacher_a_student_learns_the_labels(
    teacher: StudentClassifier, three_topics: LabelledTitles
):
    """The teacher of these tests is trained with alpha 0."""
    predicted = teacher.predict_proba(three_topics.titles).argmax(axis=1)

    assert (predicted == three_topics.label_ids).mean() >= 0.95


def test_a_killed_run_goes_on_and_ends_as_an_unbroken_one(
    tmp_path: Path,
    start: StudentClassifier,
    three_topics: LabelledTitles,
    scores: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
):
    settings = replace(SETTINGS, epochs=2, checkpoint_seconds=0.0, average_decay=0.9)

    def run(folder: Path) -> StudentClassifier:
        return distill(
            start, three_topics, scores, three_topics, settings, folder, None, False
        ).classifier

    unbroken = run(tmp_path / "unbroken")
    with monkeypatch.context() as patch:
        patch.setattr(DistillationLoss, "__call__", interrupted_at(4))
        with pytest.raises(Interrupted):
            run(tmp_path / "killed")
    resumed = run(tmp_path / "killed")

    for name, weight in unbroken.network.state_dict().items():
        assert (resumed.network.state_dict()[name] == weight).all(), name


def test_a_checkpoint_of_another_start_or_teacher_is_refused(
    tmp_path: Path,
    start: StudentClassifier,
    three_topics: LabelledTitles,
    scores: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
):
    settings = replace(SETTINGS, epochs=1, checkpoint_seconds=0.0)
    arguments = (three_topics, settings, tmp_path, None, False)
    with monkeypatch.context() as patch:
        patch.setattr(DistillationLoss, "__call__", interrupted_at(3))
        with pytest.raises(Interrupted):
            distill(start, three_topics, scores, *arguments)

    for other_start, other_scores in ((randomised(start, 1), scores), (start, scores + 1)):
        with pytest.raises(UsageError, match="is of a run with other data or settings"):
            distill(other_start, three_topics, other_scores, *arguments)


def test_titles_are_cut_at_max_length(
    tmp_path: Path, start: StudentClassifier, three_topics: LabelledTitles, scores: np.ndarray
):
    settings = replace(SETTINGS, epochs=1, max_length=6)

    result = distill(start, three_topics, scores, three_topics, settings, tmp_path, None, False)

    assert result.classifier.max_length == result.classifier.config.max_positions == 6


# --- what cannot be used


def test_what_is_learned_from_has_to_be_there(
    tmp_path: Path, start: StudentClassifier, three_topics: LabelledTitles
):
    bare = LabelledTitles.of(["股市"], [NO_LABEL], three_topics.labels)
    for examples, settings, message in (
        (three_topics, SETTINGS, "alpha is 0.9, so the teacher's scores are needed"),
        (bare, replace(SETTINGS, alpha=0.0), "nothing is learned from unlabelled titles"),
        (
            three_topics,
            replace(SETTINGS, alpha=0.0, hidden_weight=1.0),
            "a teacher with a Transformer",
        ),
    ):
        with pytest.raises(UsageError, match=message):
            distill(start, examples, None, three_topics, settings, tmp_path, None, False)


@pytest.mark.parametrize(
    ("field", "value"),
    [("alpha", 1.1), ("softening", 0.0), ("hidden_weight", -1.0), ("max_length", 2)],
)
def test_settings_that_cannot_be_used_are_refused(field: str, value: float):
    with pytest.raises(UsageError):
        replace(SETTINGS, **{field: value})


def interrupted_at(call: int) -> Callable:
    """`DistillationLoss.__call__`, but for an interruption at that call."""
    original, calls = DistillationLoss.__call__, []

    def wrapper(self: DistillationLoss, *arguments: object) -> torch.Tensor:
        calls.append(1)
        if len(calls) == call:
            raise Interrupted
        return original(self, *arguments)

    return wrapper
