import copy

import pytest
import torch
from torch import nn

from training.optimization import warmup_then_linear
from training.optimizer import ClippedAdamW
from training.settings import LoopSettings

STEPS = 12
SETTINGS = LoopSettings(learning_rate=0.05, max_grad_norm=2.0, warmup_ratio=0.25)


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 1))


def loss(model: nn.Module, step: int) -> torch.Tensor:
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(step))
    return ((model(x).squeeze(1) - x.sum(dim=1)) ** 2).mean()


def train(model: nn.Module, optimizer: ClippedAdamW, first: int, last: int) -> None:
    for step in range(first, last):
        loss(model, step).backward()
        optimizer.step()


def test_it_is_torchs_adamw_with_clipping_and_a_schedule():
    model, expected = network(), network()
    train(model, ClippedAdamW(model, SETTINGS, STEPS), 0, STEPS)

    matrices, vectors = ([p for p in expected.parameters() if p.ndim == n] for n in (2, 1))
    groups = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, weight_decay=0.01)
    norms = []
    for step in range(STEPS):
        for group in adamw.param_groups:
            group["lr"] = 0.05 * warmup_then_linear(step, STEPS, 0.25)
        loss(expected, step).backward()
        norms.append(float(nn.utils.clip_grad_norm_(expected.parameters(), 2.0)))
        adamw.step()
        adamw.zero_grad()

    assert min(norms) < 2.0 < max(norms)  # some are clipped, some are not
    for ours, theirs in zip(model.parameters(), expected.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


def test_gradients_are_forgotten_and_the_rate_is_told():
    model = network()
    optimizer = ClippedAdamW(model, SETTINGS, STEPS)
    train(model, optimizer, 0, 2)

    assert {p.grad for p in model.parameters()} == {None}
    assert optimizer.rate == pytest.approx(0.05 * 2 / 3)


def test_it_goes_on_from_its_state_to_the_bit():
    model = network()
    optimizer = ClippedAdamW(model, SETTINGS, STEPS)
    train(model, optimizer, 0, 6)
    other = copy.deepcopy(model)
    resumed = ClippedAdamW(other, SETTINGS, STEPS)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))

    train(model, optimizer, 6, STEPS)
    train(other, resumed, 6, STEPS)

    for ours, theirs in zip(other.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
