"""The loss of labels that say less than one class: worked numbers, and what it is the same as."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from training.partial_labels import partial_label_loss

LOGITS = torch.tensor([[2.0, 0.5, -1.0], [0.0, 1.0, 3.0], [5.0, 0.0, 0.0], [0.0, 0.0, np.log(2.0)]])


def rows(*classes: set[int]) -> torch.Tensor:
    return torch.tensor([[c in may for c in range(3)] for may in classes])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_of_one_class_it_is_cross_entropy(smoothing: float):
    found = partial_label_loss(LOGITS, rows({0}, {2}, {1}, {0}), smoothing)

    expected = F.cross_entropy(
        LOGITS, torch.tensor([0, 2, 1, 0]), label_smoothing=smoothing, reduction="none"
    )
    torch.testing.assert_close(found, expected)


def test_of_several_classes_it_is_that_of_their_sum():
    """The last title's probabilities are 1/4, 1/4, 1/2."""
    found = partial_label_loss(LOGITS[3:], rows({0, 2}))

    assert found.item() == pytest.approx(-np.log(0.75), abs=1e-6)


def test_a_label_that_may_mean_all_classes_teaches_nothing():
    logits = LOGITS.clone().requires_grad_()

    loss = partial_label_loss(logits, rows({0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}), 0.1)
    loss.sum().backward()

    assert loss.tolist() == [0.0] * 4
    assert logits.grad is not None
    assert not logits.grad.any()


def test_outside_all_classes_the_target_is_even_and_weighs_lambda():
    found = partial_label_loss(LOGITS[3:], rows(set()), outside_weight=0.5)

    assert found.item() == pytest.approx(0.5 * (2 * np.log(4) + np.log(2)) / 3, abs=1e-6)


def test_a_batch_of_all_kinds_has_finite_gradients_that_even_out_what_is_outside():
    logits = LOGITS.clone().requires_grad_()

    partial_label_loss(logits, rows({0}, {1, 2}, set(), {0, 1, 2})).sum().backward()

    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    even = torch.full((3,), 1 / 3)
    torch.testing.assert_close(logits.grad[2], LOGITS[2].softmax(0) - even)
