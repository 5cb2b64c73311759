import numpy as np
import pytest

from models.ensemble import pool
from scoring.metrics import log_loss
from scoring.pooling import fit_weights


@pytest.fixture
def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities of two members that err differently, and of one that knows nothing."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 800)
    truth = 3.0 * np.eye(4)[gold]
    logits = np.stack([truth, truth, np.zeros((800, 4))]) + random.normal(size=(3, 800, 4))
    logits[1] += random.normal(size=(800, 4))
    return logits - np.log(np.exp(logits).sum(axis=2, keepdims=True)), gold


def calibrated_loss(log_scores: np.ndarray, weights: np.ndarray, gold: np.ndarray) -> float:
    """The loss at the temperature that suits the weights."""
    surer = np.geomspace(0.5, 4, 60)
    return min(log_loss(pool(log_scores, weights * factor), gold) for factor in surer)


def test_weights_are_shares_and_a_member_that_knows_nothing_gets_none(noisy):
    weights = fit_weights(*noisy)

    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0).all()
    assert weights[0] > weights[1] > 0.1
    assert weights[2] < 0.05


def test_no_other_weights_on_a_grid_have_a_lower_loss_once_calibrated(noisy):
    log_scores, gold = noisy
    best = calibrated_loss(log_scores, fit_weights(log_scores, gold), gold)

    shares = np.linspace(0, 1, 6)
    grid = [(a, b, 1 - a - b) for a in shares for b in shares if a + b <= 1]
    assert best <= min(calibrated_loss(log_scores, np.array(w), gold) for w in grid) + 1e-6


def test_members_that_judge_by_different_things_weigh_the_same_however_weak():
    """Given the class, what the two see is independent, so p(c) ∝ p₁(c) · p₂(c) by Bayes' rule."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 20_000)
    log_scores = np.stack([_judged_by_a_sign(gold, share, random) for share in (0.8, 0.4)])

    assert fit_weights(log_scores, gold) == pytest.approx([0.5, 0.5], abs=0.02)


def _judged_by_a_sign(gold: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    """Log-probabilities by a sign that is the class in `share` of the titles, else another one."""
    other = (gold + random.integers(1, 4, len(gold))) % 4
    sign = np.where(random.random(len(gold)) < share, gold, other)
    return np.log(np.where(np.eye(4)[sign] == 1, share, (1 - share) / 3))


def test_one_member_gets_all_weight(noisy):
    log_scores, gold = noisy

    assert fit_weights(log_scores[:1], gold).tolist() == [1.0]


def test_members_that_are_worse_than_chance_have_equal_weights():
    scores = np.log([[[0.1, 0.9], [0.9, 0.1]]] * 2)

    assert fit_weights(scores, [0, 1]).tolist() == [0.5, 0.5]
