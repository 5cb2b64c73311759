import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.embedding_table import EmbeddingTable, large_table

ROWS, D, STEPS = 12, 4, 300


def batches() -> list[Tensor]:
    """Ids of which some occur at every step, some for a while, one twice far apart, one never."""
    generator = torch.Generator().manual_seed(0)
    drawn = [torch.randint(0, 6, (2, 3), generator=generator) for _ in range(STEPS)]
    for step in range(30):
        drawn[step][0, 0] = 7
    drawn[5][1, 1] = drawn[290][1, 1] = 8
    return drawn


def rate_at(step: int) -> float:
    return 0.01 * (1 - step / STEPS)


def loss(values: Tensor, step: int) -> Tensor:
    return ((values - torch.sin(torch.arange(D) + step)) ** 2).sum()


def dense(weight: nn.Parameter) -> list[Tensor]:
    """What torch's AdamW makes of the table, after each step."""
    optimizer = torch.optim.AdamW([weight], weight_decay=0.1)
    states = []
    for step, ids in enumerate(batches()):
        optimizer.param_groups[0]["lr"] = rate_at(step)
        loss(F.embedding(ids, weight), step).backward()
        weight.grad /= 2.0
        optimizer.step()
        optimizer.zero_grad()
        states.append(weight.detach().clone())
    return states


def start() -> nn.Parameter:
    torch.manual_seed(1)
    return nn.Parameter(torch.randn(ROWS, D))


def train(table: EmbeddingTable, first: int, last: int, settled: tuple[int, ...] = ()) -> None:
    for step in range(first, last):
        values = table.look_up(batches()[step])
        loss(values, step).backward()
        table.step(rate_at(step), 2.0)
        if step in settled:
            table.settle()


def test_rows_that_wait_end_where_the_dense_update_ends():
    expected = dense(start())
    table = EmbeddingTable(start(), weight_decay=0.1)

    train(table, 0, 100)
    table.settle()
    assert torch.allclose(table.weight, expected[99], atol=2e-6)
    train(table, 100, STEPS)
    table.settle()

    assert torch.allclose(table.weight, expected[-1], atol=2e-6)
    assert not torch.allclose(table.weight[7], start()[7] * 0.9, atol=0.05)  # it moved while idle


def test_the_rows_that_are_read_are_up_to_date():
    expected = dense(start())
    table = EmbeddingTable(start(), weight_decay=0.1)
    train(table, 0, 290)

    values = table.look_up(torch.tensor([8, 8, 3]))

    assert torch.allclose(values, expected[289][[8, 8, 3]], atol=2e-6)


def test_it_matters_not_how_often_it_is_settled():
    seldom, often = (EmbeddingTable(start(), weight_decay=0.1) for _ in range(2))

    train(seldom, 0, 60)
    train(often, 0, 60, settled=(3, 4, 20, 31, 50))
    seldom.settle()
    often.settle()

    assert torch.allclose(seldom.weight, often.weight, atol=1e-6)


def test_a_table_goes_on_from_its_state_to_the_bit():
    unbroken, other = (EmbeddingTable(start(), weight_decay=0.1) for _ in range(2))
    train(unbroken, 0, 40)
    other.weight.data.copy_(unbroken.weight.data)
    other.load_state_dict({name: t.clone() for name, t in unbroken.state_dict().items()})

    for table in (unbroken, other):
        train(table, 40, 60)
        table.settle()

    assert torch.equal(unbroken.weight, other.weight)


def test_gradients_of_two_readings_in_a_step_are_added():
    once, twice = (EmbeddingTable(start(), weight_decay=0.0) for _ in range(2))

    once.look_up(torch.tensor([1, 1, 2])).sum().backward()
    assert once.gradients[0].tolist() == [[2.0] * D, [1.0] * D]
    for ids in ([1, 2], [1]):
        twice.look_up(torch.tensor(ids)).sum().backward()
    for table in (once, twice):
        table.step(0.1, 1.0)

    assert torch.equal(once.weight, twice.weight)
    assert once.gradients == []


@pytest.mark.parametrize(("rows", "found"), [(4096, True), (4095, False)])
def test_a_large_table_is_found(rows: int, found: bool):
    model = nn.ModuleDict({"tokens": nn.Embedding(rows, 2), "positions": nn.Embedding(64, 2)})

    assert (large_table(model) is model["tokens"].weight) == found


def test_a_table_that_an_output_layer_shares_is_left_alone():
    model = nn.ModuleDict({"tokens": nn.Embedding(5000, 2), "head": nn.Linear(2, 5000)})
    model["head"].weight = model["tokens"].weight

    assert large_table(model) is None
