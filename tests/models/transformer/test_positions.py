import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ShapeError
from models.transformer.positions import (
    LearnedPositions,
    NoPositions,
    RotaryPositions,
    SinusoidalPositions,
    frequencies,
    sinusoids,
)


def test_position_0_is_0_and_1_in_turn():
    assert sinusoids(50, 20)[0].tolist() == [0.0, 1.0] * 10


def test_position_1_has_the_digits_of_the_notes():
    row = sinusoids(50, 20)[1]

    assert row[0:6:2].tolist() == pytest.approx([0.841471, 0.387674, 0.157827], abs=1e-6)
    assert row[1:6:2].tolist() == pytest.approx([0.540302, 0.921796, 0.987467], abs=1e-6)


def test_the_waves_of_every_position_have_mean_square_one_half_but_not_mean_zero():
    table = sinusoids(200, 64)

    assert table.square().mean(dim=1).tolist() == pytest.approx([0.5] * 200)  # sin² + cos² = 1
    assert table.mean().item() > 0.2  # slow cosines hardly leave 1


@settings(deadline=None)
@given(pos=st.integers(0, 400), k=st.integers(0, 100), d_model=st.sampled_from([2, 20, 64]))
def test_a_shift_by_k_turns_every_pair_by_the_same_angle_wherever_it_starts(
    pos: int, k: int, d_model: int
):
    table, angle = sinusoids(501, d_model), k * frequencies(d_model)
    sin, cos = table[pos, ::2], table[pos, 1::2]

    expected_sin = angle.cos() * sin + angle.sin() * cos
    expected_cos = -angle.sin() * sin + angle.cos() * cos

    torch.testing.assert_close(table[pos + k, ::2], expected_sin, atol=1e-4, rtol=0)
    torch.testing.assert_close(table[pos + k, 1::2], expected_cos, atol=1e-4, rtol=0)


def test_sinusoids_move_with_the_model_but_are_neither_trained_nor_saved():
    positions = SinusoidalPositions(8)

    assert list(positions.parameters()) == []
    assert [name for name, _ in positions.named_buffers()] == ["table"]
    assert positions.state_dict() == {}


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearnedPositions])
def test_an_offset_starts_further_down_the_table(kind: type):
    positions = kind(8, max_len=10)
    x = torch.randn(2, 10, 8)

    assert torch.equal(positions(x)[:, 4:], positions(x[:, 4:], offset=4))


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearnedPositions])
def test_a_sequence_beyond_max_len_is_a_clear_error(kind: type):
    with pytest.raises(ShapeError) as caught:
        kind(8, max_len=10)(torch.zeros(2, 9, 8), offset=2)

    assert str(caught.value) == (
        "sequence (2, 9, 8) from position 2 on ends at 11, but the position table (10, 8) ends "
        "at 10; truncate it, or raise max_len"
    )


def test_an_odd_size_is_refused():
    with pytest.raises(ShapeError, match="7 is odd"):
        SinusoidalPositions(7)


def test_learned_positions_are_trained():
    positions = LearnedPositions(8, max_len=10)

    positions(torch.zeros(1, 3, 8)).sum().backward()

    assert positions.table.grad[:, 0].tolist() == [1.0] * 3 + [0.0] * 7


def test_no_positions_add_nothing():
    x = torch.randn(1, 3, 8)

    assert NoPositions()(x, offset=5) is x


@settings(deadline=None)
@given(m=st.integers(0, 200), n=st.integers(0, 200), shift=st.integers(0, 200))
def test_rotary_scores_depend_on_the_distance_only(m: int, n: int, shift: int):
    rotary = RotaryPositions(16)
    query, key = torch.randn(2, 1, 1, 1, 16, generator=torch.Generator().manual_seed(0))

    here = (rotary(query, m) * rotary(key, n)).sum().item()
    there = (rotary(query, m + shift) * rotary(key, n + shift)).sum().item()

    assert here == pytest.approx(there, abs=1e-3)


def test_rotary_turns_a_pair_by_its_position_and_keeps_lengths():
    rotary = RotaryPositions(2)  # one pair, ω = 1
    x = torch.tensor([[[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]]])  # (1, 1, 3, 2)

    turned = rotary(x)

    expected = [[math.cos(t), math.sin(t)] for t in range(3)]
    torch.testing.assert_close(turned[0, 0], torch.tensor(expected))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
