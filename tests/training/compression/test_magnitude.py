from pathlib import Path

import pytest
import torch
from torch import nn

from models import artifact
from models.errors import UsageError
from models.student import StudentClassifier
from training.compression.magnitude import prune_magnitude, sparsity, zeros_kept


def test_the_smallest_weights_of_all_layers_become_zero(tiny_student: StudentClassifier):
    pruned = prune_magnitude(tiny_student, 0.3)

    cut, kept = [], []
    for before, after in zip(_weights(tiny_student), _weights(pruned), strict=True):
        cut.append(before[after == 0].abs())
        kept.append(before[after != 0].abs())
        assert (after[after != 0] == before[after != 0]).all()
    assert torch.cat(cut).max() < torch.cat(kept).min()
    assert sparsity(pruned.network) == pytest.approx(0.3, abs=1e-3)
    assert sparsity(tiny_student.network) == 0


def test_as_many_become_zero_as_are_asked_for_the_last_one_included(
    tiny_student: StudentClassifier,
):
    first, *others = [m.weight for m in tiny_student.network.modules() if isinstance(m, nn.Linear)]
    with torch.no_grad():
        first.flatten()[:4] = torch.tensor([0.1, -0.2, 0.3, -0.4])
        first.flatten()[4:] = 1.0
        for other in others:
            other.fill_(-1.0)
    count = sum(weight.numel() for weight in (first, *others))

    pruned = next(iter(_weights(prune_magnitude(tiny_student, 3 / count)))).flatten()

    assert pruned[:5].tolist() == pytest.approx([0.0, 0.0, 0.0, -0.4, 1.0])


def test_neither_the_file_nor_the_network_gets_smaller(
    tmp_path: Path, tiny_student: StudentClassifier
):
    pruned = prune_magnitude(tiny_student, 0.9)
    artifact.save(tiny_student, tmp_path / "before")
    artifact.save(pruned, tmp_path / "after")

    sizes = {(tmp_path / name / "model.safetensors").stat().st_size for name in ("before", "after")}
    assert len(sizes) == 1
    assert pruned.config == tiny_student.config


def test_training_leaves_the_zeros(tiny_student: StudentClassifier):
    network = prune_magnitude(tiny_student, 0.5).network
    before = [weight.clone() for weight in _weights_of(network)]
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01, fused=True)

    with zeros_kept(network):
        for _ in range(3):
            network(torch.tensor([[2, 7, 9, 3]])).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()

    for old, new in zip(before, _weights_of(network), strict=True):
        assert (new[old == 0] == 0).all()
    assert sparsity(network) == pytest.approx(0.5, abs=1e-3)
    assert any((old != new).any() for old, new in zip(before, _weights_of(network), strict=True))


def test_nothing_is_cut_at_a_share_of_zero(tiny_student: StudentClassifier):
    assert sparsity(prune_magnitude(tiny_student, 0.0).network) == 0


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_that_is_none_is_refused(tiny_student: StudentClassifier, share: float):
    with pytest.raises(UsageError, match=rf"must lie in \[0, 1\), not {share}"):
        prune_magnitude(tiny_student, share)


def _weights(student: StudentClassifier) -> list[torch.Tensor]:
    return _weights_of(student.network)


def _weights_of(network: torch.nn.Module) -> list[torch.Tensor]:
    return [m.weight.detach() for m in network.modules() if isinstance(m, torch.nn.Linear)]
