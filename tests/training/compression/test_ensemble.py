from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.artifact import LoadedModel
from models.ensemble import pool
from models.student import StudentClassifier
from training.compression.ensemble import fit_weights, name_members


@pytest.fixture
def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities of two members that err differently, and of one that knows nothing."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 800)
    truth = 3.0 * np.eye(4)[gold]
    logits = np.stack([truth, truth, np.zeros((800, 4))]) + random.normal(size=(3, 800, 4))
    logits[1] += random.normal(size=(800, 4))
    return logits - np.log(np.exp(logits).sum(axis=2, keepdims=True)), gold


def loss(log_scores: np.ndarray, weights: np.ndarray, gold: np.ndarray) -> float:
    return float(-np.log(pool(log_scores, weights)[np.arange(len(gold)), gold]).mean())


def test_weights_are_shares_and_a_member_that_knows_nothing_gets_none(noisy):
    weights = fit_weights(*noisy)

    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0).all()
    assert weights[0] > weights[1] > 0.1
    assert weights[2] < 0.05


def test_no_other_weights_on_a_grid_have_a_lower_loss(noisy):
    log_scores, gold = noisy
    best = loss(log_scores, fit_weights(log_scores, gold), gold)

    shares = np.linspace(0, 1, 11)
    grid = [(a, b, 1 - a - b) for a in shares for b in shares if a + b <= 1]
    assert best <= min(loss(log_scores, np.array(w), gold) for w in grid) + 1e-6


def test_one_member_gets_all_weight(noisy):
    log_scores, gold = noisy

    assert fit_weights(log_scores[:1], gold).tolist() == [1.0]


def test_models_of_one_name_are_told_apart(tmp_path: Path, tiny_student: StudentClassifier):
    artifact.save(tiny_student, tmp_path / "seed")
    model = artifact.load(tmp_path / "seed")
    other = LoadedModel(model.folder, replace(model.manifest, name="other"), model.uncalibrated)

    assert list(name_members([model, other, model, model])) == ["seed", "other", "seed-2", "seed-3"]
