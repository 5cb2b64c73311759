import pytest
import torch

from training.dropout import KeepMasks, dropout


def test_the_share_and_the_mean_are_as_asked():
    torch.manual_seed(0)
    x = torch.ones(1_000_003)  # no multiple of four

    dropped = dropout(x, 0.1, KeepMasks())

    share = (dropped == 0).float().mean().item()
    assert share == pytest.approx(0.1, abs=5 * (0.09 / len(x)) ** 0.5)  # five standard errors
    assert torch.unique(dropped).tolist() == pytest.approx([0.0, 1 / 0.9])
    assert dropped.mean().item() == pytest.approx(1.0, abs=2e-3)


def test_neighbours_and_masks_are_independent():
    torch.manual_seed(0)
    masks = KeepMasks()
    first, second = (masks.draw((1000, 1000), 0.5).float() - 0.5 for _ in range(2))

    for other in (first.roll(1, 1), first.roll(1, 0), first.roll(4, 1), second):
        assert abs((first * other).mean().item()) < 0.25 * 5e-3  # five standard errors


def test_the_gradient_passes_where_the_value_did():
    torch.manual_seed(0)
    x = torch.ones(50, 20, requires_grad=True)

    dropped = dropout(x, 0.3, KeepMasks())
    dropped.backward(torch.full_like(x, 2.0))

    assert torch.equal(x.grad, 2.0 * dropped.detach())


def test_torchs_generator_alone_decides():
    states = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        masks = KeepMasks()
        states.append([masks.draw((64,), 0.5).tolist() for _ in range(2)])

    assert states[0] == states[1] != states[2]
    assert states[0][0] != states[0][1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_precision_stays(dtype: torch.dtype):
    assert dropout(torch.ones(8, dtype=dtype), 0.5, KeepMasks()).dtype == dtype
