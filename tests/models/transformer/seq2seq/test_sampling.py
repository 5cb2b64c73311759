import pytest
import torch

from models.transformer.seq2seq.sampling import keep_top_k, keep_top_p, sample

LOGS = torch.tensor([[0.5, 0.25, 0.15, 0.1], [0.1, 0.15, 0.25, 0.5]]).log()


def _kept(filtered: torch.Tensor) -> list[list[bool]]:
    return filtered.isfinite().tolist()


def test_top_k_keeps_the_k_most_probable_of_each_row():
    assert _kept(keep_top_k(LOGS, 2)) == [[True, True, False, False], [False, False, True, True]]
    assert torch.equal(keep_top_k(LOGS, 9), LOGS)


@pytest.mark.parametrize(("p", "count"), [(0.01, 1), (0.5, 1), (0.51, 2), (0.8, 3), (1.0, 4)])
def test_top_p_keeps_the_fewest_that_reach_p_and_at_least_one(p: float, count: int):
    kept = keep_top_p(LOGS, p)

    assert _kept(kept)[0] == [i < count for i in range(4)]
    assert _kept(kept)[1] == [i >= 4 - count for i in range(4)]


def test_what_is_kept_keeps_its_value():
    kept = keep_top_p(LOGS, 0.8)

    assert torch.equal(kept[kept.isfinite()], LOGS[kept.isfinite()])


def test_draws_follow_the_probabilities():
    generator = torch.Generator().manual_seed(0)

    drawn = sample(LOGS[:1].expand(20_000, 4), generator)

    shares = torch.bincount(drawn, minlength=4) / 20_000
    torch.testing.assert_close(shares, LOGS[0].exp(), atol=0.02, rtol=0)


def test_what_is_not_kept_is_never_drawn():
    drawn = sample(keep_top_k(LOGS[:1], 2).expand(500, 4), torch.Generator().manual_seed(0))

    assert set(drawn.tolist()) == {0, 1}
