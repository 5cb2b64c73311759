import copy

import pytest
import torch
from torch import nn

from training.compute import training_step
from training.optimization import warmup_then_linear
from training.optimizer import TitleOptimizer
from training.settings import LoopSettings

STEPS = 12
SETTINGS = LoopSettings(learning_rate=0.05, max_grad_norm=0.8, warmup_ratio=0.25)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.head = nn.Embedding(5000, 4), nn.Linear(4, 1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.tokens(ids).mean(dim=1))


def ids(step: int) -> torch.Tensor:
    return torch.randint(0, 50, (3, 5), generator=torch.Generator().manual_seed(step))


@pytest.mark.skipif(torch.cuda.is_available(), reason="the table waits on processors")
def test_it_is_torchs_adamw_with_clipping_and_a_schedule():
    model, expected = Reader(), Reader()
    optimizer = TitleOptimizer(model, SETTINGS, STEPS)
    weights = [p for p in expected.parameters() if p.ndim > 1]
    groups = [{"params": weights}, {"params": [expected.head.bias], "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, weight_decay=0.01)
    norms = []
    for step in range(STEPS):
        with training_step("fp32", optimizer.table):
            loss = model(ids(step)).square().sum()
        loss.backward()
        optimizer.step()

        for group in adamw.param_groups:
            group["lr"] = 0.05 * warmup_then_linear(step, STEPS, 0.25)
        expected(ids(step)).square().sum().backward()
        norms.append(float(nn.utils.clip_grad_norm_(expected.parameters(), 0.8)))
        adamw.step()
        adamw.zero_grad()
    optimizer.settle()

    assert optimizer.table is not None
    assert optimizer.table.weight is model.tokens.weight
    assert min(norms) < 0.8 < max(norms)  # some are clipped, some are not
    for ours, theirs in zip(model.parameters(), expected.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=2e-6)


def test_gradients_are_forgotten_and_the_rate_is_told():
    model = Reader()
    optimizer = TitleOptimizer(model, SETTINGS, STEPS)
    for step in range(2):
        with training_step("fp32", optimizer.table):
            loss = model(ids(step)).sum()
        loss.backward()
        optimizer.step()

    assert [p.grad for p in model.parameters()] == [None] * 3
    assert optimizer.rate == pytest.approx(0.05 * 2 / 3)


def test_it_goes_on_from_its_state():
    model = Reader()
    optimizer = TitleOptimizer(model, SETTINGS, STEPS)

    def train(model: Reader, optimizer: TitleOptimizer, first: int, last: int) -> None:
        for step in range(first, last):
            with training_step("fp32", optimizer.table):
                loss = model(ids(step)).square().sum()
            loss.backward()
            optimizer.step()

    train(model, optimizer, 0, 6)
    other = copy.deepcopy(model)
    resumed = TitleOptimizer(other, SETTINGS, STEPS)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for one, of in ((model, optimizer), (other, resumed)):
        train(one, of, 6, STEPS)
        of.settle()

    for ours, theirs in zip(other.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
